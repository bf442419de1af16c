"""The rows of one transformers batch: what each may write, what it wrote, and whether it ended.

`generate` of transformers samples a whole batch one way. Here each row has its own temperature,
seed, constraint and end, so the logits processor picks every token itself and leaves `generate` no
choice; the stopping criterion says which rows are done.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from models.llm.chat import Chat
from models.llm.packages import package
from models.llm.protocol import Completion, FinishReason, Prompt
from utils.deadline import Deadline

Tensor = Any  # torch.Tensor; torch is imported when an engine is built


@dataclass(slots=True)
class Row:
    """One sample of one prompt. `sample` counts the samples of a prompt from 0."""

    prompt: Prompt
    ids: list[int]
    sample: int = 0
    matcher: Any = None  # of llguidance, where the prompt has a constraint
    generator: Any = None
    written: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    text: str = ""
    reason: FinishReason | None = None

    def take(self, token: int, ends: frozenset[int], chat: Chat) -> None:
        """Write `token`, and see whether the row ends with it."""
        self.written.append(token)
        if self.matcher is not None and token not in ends:
            self.matcher.consume_token(token)
        if token in ends:
            self.reason = FinishReason.STOP
        elif len(self.written) >= self.prompt.max_tokens:
            self.reason = FinishReason.LENGTH
        if self.prompt.stop:
            self._see_stops(chat, ends)

    def _see_stops(self, chat: Chat, ends: frozenset[int]) -> None:
        text = chat.decode([token for token in self.written if token not in ends])
        found = [at for stop in self.prompt.stop if (at := text.find(stop)) >= 0]
        if found:
            self.text = text[: min(found)]
            self.reason = FinishReason.STOP

    def completion(self, chat: Chat, ends: frozenset[int]) -> Completion:
        """What was written; without an end of its own, the deadline cut it off."""
        written = [token for token in self.written if token not in ends]
        stopped = self.reason is FinishReason.STOP and self.written and self.written[-1] not in ends
        return Completion(
            text=self.text if stopped else chat.decode(written),
            finish_reason=self.reason or FinishReason.DEADLINE,
            tokens=len(self.written),
            logprobs=tuple(self.logprobs),
            adapter=self.prompt.adapter,
        )


class Picker:
    """The logits processor of one batch: masks, samples, and notes what was picked."""

    def __init__(self, rows: Sequence[Row], chat: Chat, ends: frozenset[int]) -> None:
        self._rows = rows
        self._chat = chat
        self._ends = ends
        self._torch = package("torch")
        self._plain = all(row.matcher is None and not row.prompt.temperature for row in rows)
        self._logprobs = any(row.prompt.logprobs for row in rows)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        torch = self._torch
        allowed = (
            scores if self._plain else torch.stack(list(map(self._allowed, self._rows, scores)))
        )
        picked = allowed.argmax(-1, keepdim=True)
        logprobs = (
            scores.log_softmax(-1).gather(1, picked)[:, 0].tolist() if self._logprobs else None
        )
        for index, token in enumerate(picked[:, 0].tolist()):
            row = self._rows[index]
            if row.reason is None:
                if logprobs and row.prompt.logprobs:
                    row.logprobs.append(logprobs[index])
                row.take(token, self._ends, self._chat)
        return torch.full_like(scores, -torch.inf).scatter_(1, picked, 0.0)

    def _allowed(self, row: Row, scores: Tensor) -> Tensor:
        """The row's scores, such that the highest is the token to write."""
        if row.reason is not None:
            return scores
        if row.matcher is not None:
            scores = scores.masked_fill(~self._mask(row, scores), -self._torch.inf)
        prompt = row.prompt
        if not prompt.temperature:
            return scores
        scores = self._nucleus(scores / prompt.temperature, prompt.top_p)
        # The highest of scores with Gumbel noise is distributed as a sample of their softmax is.
        noise = self._torch.empty_like(scores).exponential_(generator=self._generator(row, scores))
        return scores - noise.log()

    def _mask(self, row: Row, scores: Tensor) -> Tensor:
        torch = self._torch
        bits = torch.frombuffer(bytearray(row.matcher.compute_bitmask()), dtype=torch.uint8)
        places = torch.arange(8, dtype=torch.uint8)
        mask = ((bits[:, None] >> places) & 1).flatten()[: scores.shape[0]].bool()
        # A model may have more outputs than its tokenizer has tokens.
        padded = torch.nn.functional.pad(mask, (0, scores.shape[0] - mask.shape[0]))
        return padded.to(scores.device)

    def _nucleus(self, scores: Tensor, top_p: float) -> Tensor:
        if top_p >= 1:
            return scores
        ordered, order = scores.softmax(-1).sort(descending=True)
        beyond = ordered.cumsum(-1) - ordered >= top_p  # the first is never beyond
        return scores.masked_fill(beyond[order.argsort()], -self._torch.inf)

    def _generator(self, row: Row, scores: Tensor) -> Any:
        if row.generator is None:
            seed = row.prompt.seed
            seed = random.getrandbits(48) if seed is None else seed + row.sample
            row.generator = self._torch.Generator(scores.device).manual_seed(seed)
        return row.generator


class Ended:
    """The stopping criterion of one batch: a row that ended, or every row at the deadline."""

    def __init__(self, rows: Sequence[Row], deadline: Deadline) -> None:
        self._rows = rows
        self._deadline = deadline
        self._torch = package("torch")

    def __call__(self, input_ids: Tensor, scores: Tensor, **_: Any) -> Tensor:
        late = self._deadline.expired
        ended = [late or row.reason is not None for row in self._rows]
        return self._torch.tensor(ended, device=input_ids.device)
