"""When a question was asked, as prompts say it."""

from models.records import Question


def asked_when(question: Question) -> str:
    """The day of the week, the date and the time in words; "not known" where it is not."""
    return f"{question.asked_at:%A, %B %d, %Y, %H:%M} PT" if question.asked_at else "not known"
