"""What the user named becomes streams of bytes.

In: paths, folders, archives, stdin. Out: sources whose chunks are decompressed and oldest line
first.
"""
