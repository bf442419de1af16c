"""What ranks the candidates of a question: their features, and what rules an answer out."""
