"""LoRA adapters by a recipe, with peft and TRL: what all ways of tuning share, and each of them."""
