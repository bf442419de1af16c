"""The semantic parser: translates an English question into programs of the query language.

It needs no LLM. `SemanticParser` parses a question; `crag parse` shows the parse.
`lexicon/*.toml` has the English wording of the schema's keys, `weights.json` the weights
(docs/parsing.md).
"""
