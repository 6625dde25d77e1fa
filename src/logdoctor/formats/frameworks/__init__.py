"""What single frameworks and programs print: one file each, put in order by `registry`."""
