"""The sources of KG text by name."""

from typing import Literal

from models.kg import make_client
from models.llm.llms import LLMs
from models.settings import Settings
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.protocol import KgText

KgSource = Literal["none", "parser", "baseline"]


def make_kg_text(name: KgSource, settings: Settings, llms: LLMs) -> KgText | None:
    """The source of KG text in `settings`; None without a KG, or if no source is selected."""
    if name == "none" or settings.api_url is None:
        return None
    client = make_client(settings.api_url)
    if name == "parser":
        return ParserKgText(client)
    return KgBaseline(llms, client, fallback=ParserKgText(client))
