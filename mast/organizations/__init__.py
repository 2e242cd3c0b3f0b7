"""Who acts: organizations as pure steps over private state, and the agents that decide for them."""
