"""Fits weights, confidences and thresholds, and measures what they gain on held-out questions."""
