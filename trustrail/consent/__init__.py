"""What a customer agreed to: proposals, answers, and the confirmation that binds them. Pure, no model."""
