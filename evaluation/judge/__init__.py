"""The judges: is a prediction correct, missing, wrong, or can it not be told?"""
