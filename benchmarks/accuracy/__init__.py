"""How often it is right: tolerance of damage, other shapes of a failure, confidence."""
