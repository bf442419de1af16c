"""The commands of `crag training`, a module for each thing that they make."""
