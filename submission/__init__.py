"""From this repository to a submission: the preflight, the tag, and what to push."""
