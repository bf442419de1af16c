"""Is a worded reply about the question at all, and what does a text add to it?"""

from evaluation.judge.normalize import Text, read, stem
from evaluation.judge.numbers import NUMBER_WORDS
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_LOOKED_AT = 14  # content words of a reply: what comes later explains


def off_topic(gold: str, question: Question, reply: Reply) -> bool:
    """Whether a worded reply shares hardly a content word with the question or the gold.

    A bare value says nothing of its subject and is taken to be on topic.
    """
    known = question.text.stems | read(gold).stems
    said = [token.text for token in reply.outer.tokens if not token.stop and token.text.isalpha()]
    said = [word for word in said if word not in NUMBER_WORDS]
    said = said[:_LOOKED_AT]
    shared = sum(stem(word) in known for word in said)
    return (len(said) >= 3 and shared == 0) or (len(said) >= 5 and shared < 0.3 * len(said))


def new_words(text: Text, spans: list[tuple[int, int]], question: Question) -> int:
    """How many words of `text` outside `spans` are new to the question."""
    return sum(
        not any(a <= token.start < b for a, b in spans) and not question.echoes(token.text)
        for token in text.tokens
    )
