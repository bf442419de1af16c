"""From this checkout to a submission: checks, weights, the budget of a machine, the tag."""
