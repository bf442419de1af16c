"""Makes what the answer path loads (adapters, weights, thresholds) from labelled data."""
