# The evaluator's image: CUDA 13 for the T4s, Python 3.12, no network at run time.
#
# vLLM's and torch's wheels are built for CUDA 13.0, which still has kernels for compute capability
# 7.5, and bring its libraries along: of CUDA, the base image alone is needed. It holds cuda-compat,
# by which a data centre's GPU runs CUDA 13 under a driver older than 580; such a host needs
# VLLM_ENABLE_CUDA_COMPATIBILITY=1 as well (vLLM pull request 33992). Python 3.12 is what Ubuntu
# 24.04 ships; 22.04's 3.11 is a release candidate.
FROM nvidia/cuda:13.0.3-base-ubuntu24.04

# FlashInfer's sampler would be compiled on first use, for which there is no nvcc here.
ENV DEBIAN_FRONTEND=noninteractive \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1 \
    TRANSFORMERS_OFFLINE=1 \
    VLLM_NO_USAGE_STATS=1 \
    DO_NOT_TRACK=1 \
    VLLM_USE_FLASHINFER_SAMPLER=0

# Triton compiles its launchers with gcc and Python's headers on first use. apt.txt: ffmpeg, which
# torchcodec loads as vLLM brings it; git.
COPY apt.txt /tmp/apt.txt
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
       build-essential python3.12 python3.12-dev python3.12-venv $(cat /tmp/apt.txt) \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1001 aicrowd
USER aicrowd
WORKDIR /home/aicrowd
ENV PATH=/home/aicrowd/venv/bin:$PATH

COPY --chown=aicrowd requirements.txt ./
RUN python3.12 -m venv venv && pip install --no-cache-dir -r requirements.txt

# models/weights is left out by .dockerignore and mounted here.
COPY --chown=aicrowd . .
RUN mkdir -p models/weights
CMD ["python", "local_evaluation.py"]
