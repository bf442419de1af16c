"""The prompts that only training uses, in our own words; the form is that of `models/prompts`."""

from functools import partial
from pathlib import Path

from models.prompts import load_prompt

prompt = partial(load_prompt, folder=Path(__file__).resolve().parent)
