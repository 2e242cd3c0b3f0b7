"""What is said, and when it may be believed: packets, the claim graph, and the checks. Pure."""
