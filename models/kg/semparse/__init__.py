"""The semantic parser: from a question in English to programs of the query language.

It needs no LLM. `SemanticParser` reads a question; `python -m models.kg.semparse` shows how it was
read. What English calls the keys of the schema is in `lexicon/*.toml`, the weights are in
`weights.json` (docs/semparse.md).
"""
