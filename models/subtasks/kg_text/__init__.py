"""What the KG says about a question, in words, as references for a model: one file per source.

`protocol.py` holds the contract `KgText`; `parsed.py` the semantic parser, which needs no LLM;
`programs.py` programs of the query language that an LLM writes; `baseline.py` the benchmark's KG
baseline. A new source is one such file and a row in `factory.py`.
"""
