# The evaluator's image: CUDA 12 for the T4s, Python 3.11, no network at run time.
FROM nvidia/cuda:12.8.1-runtime-ubuntu22.04

ENV DEBIAN_FRONTEND=noninteractive \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    TRANSFORMERS_OFFLINE=1 \
    VLLM_NO_USAGE_STATS=1

COPY apt.txt /tmp/apt.txt
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
       build-essential python3.11 python3.11-dev python3.11-venv $(cat /tmp/apt.txt) \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1001 aicrowd
USER aicrowd
WORKDIR /home/aicrowd
ENV PATH=/home/aicrowd/venv/bin:$PATH

COPY --chown=aicrowd requirements.txt requirements-default.txt ./
RUN python3.11 -m venv venv && pip install --no-cache-dir -r requirements.txt

COPY --chown=aicrowd . .
CMD ["python", "local_evaluation.py"]
