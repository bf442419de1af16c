"""What a system needs on a machine: memory per GPU and seconds per question."""
