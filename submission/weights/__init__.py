"""Weights of the systems: where they lie, where they come from, and which bytes they are."""
