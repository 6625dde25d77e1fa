"""Many runs: finding them, judging them on all cores, keeping the results, and what they have in
common.
"""
