"""The sources of KG text by name."""

from models.llm.factory import LLMs
from models.settings import Settings
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.protocol import KgText
from utils.crag_api import CragClient
from utils.errors import SettingsError

KG_TEXTS = ("none", "parser", "baseline")


def make_kg_text(name: str, settings: Settings, llms: LLMs) -> KgText | None:
    """The source of KG text in `settings`; None without a KG, or if no source is selected.

    Raises:
        SettingsError: there is no source of that name.
    """
    if name not in KG_TEXTS:
        raise SettingsError(f"no KG source is called {name!r}; there are: {', '.join(KG_TEXTS)}")
    if name == "none" or settings.api_url is None:
        return None
    client = CragClient(settings.api_url)
    if name == "parser":
        return ParserKgText(client)
    from models.subtasks.kg_text.baseline import KgBaseline

    return KgBaseline(llms, client, fallback=ParserKgText(client))
