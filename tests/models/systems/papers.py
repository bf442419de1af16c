"""The papers' systems over scripted models: how each is made, and its model's default replies.

The question is who directed a film: the KG has Aino Somebody, the page has Bo Somebody. The model
copies the last such name in its prompt.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from models.llm.llms import LLMs
from models.llm.protocol import Prompt
from models.records import IDK, Page, Question, Task
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.programs import QueryPrograms
from models.systems.bumblebee7.system import Bumblebee7System
from models.systems.db3 import Db3System
from models.systems.dragonrangers.system import DragonrangersSystem
from models.systems.dragonrangers.thresholds import Thresholds
from models.systems.electricsheep.system import ElectricSheepSystem
from models.systems.protocol import System
from models.web.retriever import Retriever
from tests.models.systems import scripted
from tests.models.systems.scripted import Said, ScriptedLLMs, form, paths, saying, sure

ON_KG = "who directed the movie the glass harbour?"
PAGE = Page("", "", "", "<title>Glass Harbour</title><p>Glass Harbour, a film by Bo Third.</p>")
LIGHTHOUSE = Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>")
DIRECTOR = 'get_movie_person_crew("the glass harbour", None, eq(job, "Director"))["name"]'
LOOKUP = (
    '{"lookups":[{"domain":"movie","kind":"movie","names":["the glass harbour"],'
    '"wanted":["director"],"time":""}]}'
)


def of_film(reply: str) -> Callable[[Prompt], str]:
    """`reply` with the prompt's film in place of the glass harbour."""

    def reply_on_film(prompt: Prompt) -> str:
        film = re.search(r"directed the movie ([^?]+)\?", prompt.messages[-1].text)
        if film is None:
            return reply
        return reply.replace("the glass harbour", film[1])

    return reply_on_film


def director(prompt: Prompt) -> str:
    """The last name of a director in a prompt, or "i don't know"."""
    names = re.findall(r"(?:Aino|Bo) [A-Z][a-z]+", prompt.messages[-1].text)
    return names[-1] if names else IDK


KGS: dict[str, Callable[[LLMs, Any], Any]] = {
    "language": lambda llms, client: client,
    "parser": lambda llms, client: ParserKgText(client),
    "baseline": KgBaseline,
    "programs": QueryPrograms,
}


def question(text: str = ON_KG, task: Task = Task.KG_WEB, pages: Any = (PAGE,)) -> Question:
    return scripted.question(text, task, pages)


def choose(prompt: Prompt) -> Said:
    """dragonrangers' step 3: the letter of the page's answer, or else of the KG's."""
    lines = re.findall(r"^([A-Z])\. (\w+)", prompt.messages[-1].text, re.M)
    letters = {name: letter for letter, name in lines}
    return sure(letters.get("Bo") or letters.get("Aino") or "B", 0.9, 1)(prompt)


@dataclass(frozen=True)
class Paper:
    """A paper's system.

    Attributes:
        make: makes the system from LLMs, a source of KG facts, and a retriever.
        kg: the name in `KGS` of its source of KG facts.
        says: its model's reply for each subtask, in the order of the rounds.
        answer: to `question()`.
        without: by subtask, the answer if its engine fails; absent: `answer`.
        late: by subtask, the answer if the time is up after it; absent: "i don't know".
    """

    make: Callable[[LLMs, Any, Retriever], System]
    kg: str
    says: Mapping[str, Any]
    answer: str
    without: Mapping[str, str] = field(default_factory=dict)
    late: Mapping[str, str] = field(default_factory=dict)

    def llms(self, **replies: Any) -> ScriptedLLMs:
        """Engines with the default replies, some of them replaced."""
        all_replies = {**self.says, **replies}
        return ScriptedLLMs({name: saying(reply) for name, reply in all_replies.items()})

    def system(self, llms: LLMs, client: Any = None, web: Retriever | None = None) -> System:
        """The system over `llms`, the KG of `client` if there is one, and `web`."""
        kg = None
        if client is not None:
            kg = KGS[self.kg](llms, client)
        return self.make(llms, kg, web or Retriever())


PAPERS = {
    "db3": Paper(
        lambda llms, kg, web: Db3System(llms, kg, web),
        "language",
        {
            "route": "movie",
            "write_query": of_film(DIRECTOR),
            "answer_kg": director,
            "answer_web": director,
        },
        answer="Aino Virta",
        without={"answer_kg": "Bo Third"},
        late={"answer_kg": "Aino Virta"},
    ),
    "bumblebee7": Paper(
        lambda llms, kg, web: Bumblebee7System(llms, web, kg),
        "parser",
        {
            "rewrite_query": lambda prompt: prompt.messages[-1].text.rpartition("Question: ")[2],
            "extract_premise": "There is a film.",
            "judge_premise": "true",
            "think": lambda p: f"Thoughts: [1] says so.\nAnswer: It is {director(p)} [1].",
            "answer": director,
        },
        answer="Bo Third",
        without={"think": IDK, "answer": "It is Bo Third."},
        late={"think": "It is Bo Third.", "answer": "Bo Third"},
    ),
    "dragonrangers": Paper(
        lambda llms, kg, web: DragonrangersSystem(llms, web, kg, Thresholds(0.7, 0.5, 0.6)),
        "parser",
        {
            "answer_alone": paths("Cy", "Cy", "Dee"),
            "answer_kg": lambda prompt: sure(director(prompt), 0.3)(prompt),
            "answer_web": lambda prompt: sure(director(prompt), 0.4)(prompt),
            "choose": choose,
        },
        answer="Bo Third",
        without={"answer_web": "Aino Virta", "choose": IDK},
        late={"choose": "Bo Third"},
    ),
    "electricsheep": Paper(
        lambda llms, kg, web: ElectricSheepSystem(llms, web, kg),
        "baseline",
        {
            "predict_domain": ["open"] * 5,
            "predict_dynamic": ["static"] * 5,
            "write_expression": ["52 - 41", "52 - 41", "", "import os", "41 + 1"],
            "extract_knowledge": form("Bo", None),
            "name_arguments": of_film(LOOKUP),
            "reason": lambda prompt: form(director(prompt)),
        },
        answer="Aino Virta",
        without={"reason": IDK, "name_arguments": "Bo Third"},
        late={"reason": "Aino Virta"},
    ),
}
