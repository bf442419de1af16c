"""Rows of the open domain: an entity's infobox."""

from models.kg.fetch.protocol import Arguments, Fetch, Fetched, Source, ask, search


def get_open(arguments: Arguments) -> Fetch:
    """One row an entity: the keys of its infobox, and its summary."""
    name = arguments.text(0)
    if name is None:
        return Fetched()
    names = yield from search("/open/search_entity_by_name", name, str)
    entities, rows = [], []
    for entity in names[:1]:
        page = yield from ask("/open/get_entity", query=entity)
        if isinstance(page, dict):
            facts = page.get("summary_structured")
            known = facts if isinstance(facts, dict) else {}
            rows.append({**known, "summary_text": page.get("summary_text")})
            entities.append(entity)
    return Fetched(tuple(rows), tuple(entities))


SOURCES: dict[str, Source] = {
    "get_open": Source(get_open, ("/open/search_entity_by_name", "/open/get_entity"))
}
