"""From labelled data to what the answer path loads: one command a file."""
