"""The judges: whether a prediction is correct, missing or wrong, or cannot be scored."""
