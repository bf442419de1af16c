"""Tiny random models on disk, for the real libraries to load."""

from pathlib import Path
from typing import Any

VOCABULARY = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] the lighthouse is high how tall boats fish rain"
    " in north port a b"
).split()


def make_cross_encoder(folder: Path) -> Path:
    """A BERT of two layers with one output, and its tokenizer, at `folder`."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=1,
        initializer_range=0.5,
    )
    model: Any = BertForSequenceClassification(config).eval()
    model.save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return folder


def forward(folder: Path, query: str, texts: list[str], max_length: int) -> list[float]:
    """The raw scores by a direct transformers forward, one pair at a time."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pairs = [
        tokenizer(query, text, truncation="only_second", max_length=max_length, return_tensors="pt")
        for text in texts
    ]
    with torch.no_grad():
        return [float(model(**pair).logits[0, 0]) for pair in pairs]
