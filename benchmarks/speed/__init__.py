"""How fast: logdoctor beside other programs, on made logs; what batch, run and tail take."""
