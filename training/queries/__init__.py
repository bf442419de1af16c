"""Question-program pairs without hand labels: sampled, executed, and asked in varied English."""
