"""KG facts about a question as text for a model's prompt: one file per source.

`protocol.py` has the contract `KgText`; `parsed.py` the semantic parser, which needs no LLM;
`programs.py` query-language programs written by an LLM; `baseline.py` the benchmark's KG baseline.
A new source is one such file and a row in `make_kg_text.py`.
"""
