"""mast: simulate how claims, faults and repairs travel between organizations whose agents act for them."""
