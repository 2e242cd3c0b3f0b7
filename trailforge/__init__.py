"""trailforge: bounded, durable work. What is uncertain stays visibly UNKNOWN."""
