"""Many runs: finding them, judging them on all cores, keeping the results, what they share."""
