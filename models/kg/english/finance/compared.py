"""Which of several values is more, whether it is, by how much, or what they are together."""

from models.kg.english.compose import Difference, Most
from models.kg.english.finance.answers import Change, Exceeds
from models.kg.english.finance.answers_several import Contrast, Each, Times, Together
from models.kg.english.finance.task import Task
from models.kg.english.finance.words import AVERAGE, DIFFERENCE, PERCENT, RATIO, TOTAL
from models.kg.english.reading import Compose, Reading

SAME = "same"
_LINKED = "and|both|each|versus|vs|compar\\w*|alongside|as well as|plus"


def compared(task: Task, programs: list[str], template: str = "") -> list[Reading]:
    """One value a company: which is more, whether it is, or by how much."""
    template, program = template or task.quantity.template, "; ".join(programs)
    compose: Compose | None = None
    two = len(programs) == 2
    if task.says(RATIO):
        compose = Times() if two else None
    elif task.says(DIFFERENCE):
        percent = task.says(PERCENT)
        compose = (Change() if percent else Difference(template)) if two else None
    elif task.is_yes_no and task.wants_less is not None:
        compose = Exceeds(below=task.wants_less) if two else None
    elif task.wants_less is not None:
        compose = Most(task.labels, task.wants_less, SAME)
    elif task.says(TOTAL, r"sum"):
        compose = Together(template)
    elif task.says(AVERAGE):
        compose = Together(template, average=True)
    elif two and task.body.has("(?:compared|next) (?:to|with)"):
        compose = Contrast(task.labels, template)
    elif task.body.has(_LINKED) and not task.body.has("which|or"):
        compose = Each(task.labels, template)
    return [Reading(program, compose)] if compose else []
