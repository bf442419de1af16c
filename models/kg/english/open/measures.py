"""The words by which English compares, and what of an infobox they compare."""

import re
from dataclasses import dataclass

SINCE = (
    "birth_date founded established foundation formation established_date inception date_founded"
    " created formed year_completed completion_date built opened opening opened_date released"
    " release_date release launch_date start_year firstdate year_start year commissioned date_start"
)
HEIGHT = (
    "height_architectural architectural height tip height_tip roof elevation_m elevation"
    " elevation_ft"
    " dam_height height_max altitude_m minaret_height"
)
LENGTH = "length_km length length_mi dam_length length_m distance mainspan total_length"
AREA = "area_total_km2 area_km2 area area_total_sq_mi area_sqmi site_area floor_area area_land_km2"
SIZE = (
    "area_total_km2 area_km2 area area_total_sq_mi area_sqmi site_area floor_area students"
    " membership"
    " mean_radius radius num_employees"
)
_MAGNITUDE = "appmag_v appmag_v1 appmag"
POPULATION = "population_total population population_estimate population_est 2010pop"


# What a noun measures, the surest first: the keys, whether they are dates, and whether the most of
# it means the least of the key's value, as the longest history means the earliest date.
DIMENSIONS = (
    (r"histor(?:y|ical(?:ly)?|ies)|heritage|legacy|tradition|past|existence|longevity|age|seniority"
     r"|antiquity|track record|lifespan|tenure|operation", SINCE, True, True),
    (r"bright(?:ness|ly)|shin(?:e|es|ing)|visib(?:le|ility)", _MAGNITUDE, False, True),
    (r"luminosity|luminous", "luminosity", False, False),
    (r"height|stature|tall|altitude|elevation", HEIGHT, False, False),
    (r"length|span", LENGTH, False, False),
    (r"depth", "depth_max max_depth depth res_max_depth", False, False),
    (r"width|breadth", "width_km width width_mi dam_width_crest", False, False),
    (r"populations?", POPULATION, False, False),
    (r"(?:land |surface |total )?areas?|territor(?:y|ies)|land ?mass", AREA, False, False),
    (r"mass|weight", "mass weight launch_mass", False, False),
    (r"temperature|heat", "temperature", False, False),
    (r"radius|diameter", "radius mean_radius diameter", False, False),
    (r"cost|price ?tag|expense", "cost construction_cost budget", False, False),
)  # fmt: skip
SIZES = tuple(SIZE.split())  # of different kinds: an area is not compared with students


@dataclass(frozen=True, slots=True)
class Adjective:
    """A word of comparison that says by itself what is compared."""

    cue: re.Pattern[str]
    keys: tuple[str, ...]
    least: bool = False
    dated: bool = False


def _adjective(cue: str, keys: str, *, least: bool = False, dated: bool = False) -> Adjective:
    return Adjective(re.compile(rf"\b(?:{cue})\b"), tuple(keys.split()), least, dated)


ADJECTIVES = (
    _adjective(r"(?:long|rich|old)(?:er|est) history|(?:been around|exist\w*) (?:for )?longer"
               r"|longer"
               r" (?:standing|running|established|in (?:business|existence|operation|service))"
               r"|(?:been|in) (?:\w+ ){0,2}(?:business|existence|operation|service"
               r"|open) (?:for )?longer", SINCE, least=True, dated=True),
    _adjective(r"short(?:er|est) history|more recent history", SINCE, dated=True),
    _adjective(r"old(?:er|est)|eld(?:er|est)|more ancient", SINCE, least=True, dated=True),
    _adjective(r"predat(?:e|es|ed)|antedat(?:e|es|ed)|dates? (?:back )?(?:further|farther|earlier)"
               r"|go(?:es)? back (?:further|farther)|(?:came|come|been) (?:first|before)|senior",
               SINCE, least=True, dated=True),
    _adjective(r"young(?:er|est)|new(?:er|est)|more recent(?:ly)?|most recent(?:ly)?", SINCE,
               dated=True),
    _adjective(r"tall(?:er|est)|high(?:er|est)(?= |$)", HEIGHT),
    _adjective(r"short(?:er|est)", f"{HEIGHT} {LENGTH}", least=True),
    _adjective(r"long(?:er|est)", LENGTH),
    _adjective(r"deep(?:er|est)", "depth_max max_depth depth res_max_depth"),
    _adjective(r"wid(?:er|est)|broader", "width_km width width_mi dam_width_crest"),
    _adjective(r"heav(?:ier|iest)|more massive|weighs? more", "mass weight launch_mass"),
    _adjective(r"light(?:er|est)|less massive|weighs? less", "mass weight launch_mass", least=True),
    _adjective(r"bright(?:er|est)|outshin(?:e|es)|shin(?:e|es) brighter", _MAGNITUDE, least=True),
    _adjective(r"(?:dimm|faint)(?:er|est)|less bright", _MAGNITUDE),
    _adjective(r"hott(?:er|est)", "temperature"),
    _adjective(r"cool(?:er|est)|cold(?:er|est)", "temperature", least=True),
    _adjective(r"(?:more|most) (?:populous|populated|people|residents|inhabitants)"
               r"|bigger population",
               POPULATION),
    _adjective(r"(?:less|least) (?:populous|populated)|fewe(?:r|st) (?:people|residents"
               r"|inhabitants)",
               POPULATION, least=True),
    _adjective(r"(?:more|most) expensive|costl(?:ier|iest)|costs? more|cost the most",
               "cost construction_cost budget"),
    _adjective(r"cheap(?:er|est)|less expensive|costs? less", "cost construction_cost budget",
               least=True),
    _adjective(r"(?:rich|wealthi)(?:er|est)", "net_worth"),
    _adjective(r"(?:near|clos)(?:er|est)", "dist_ly distance", least=True),
    _adjective(r"(?:near|clos)(?:er|est)", "parallax"),
    _adjective(r"farther|further|more distant|farthest|furthest", "dist_ly distance"),
    _adjective(r"farther|further|more distant|farthest|furthest", "parallax", least=True),
    _adjective(r"(?:larg|bigg|great)(?:er|est)|more extensive", SIZE),
    _adjective(r"small(?:er|est)|tini(?:er|est)", SIZE, least=True),
)  # fmt: skip
MOST = (
    r"more|most|larg(?:er|est)|bigg(?:er|est)|great(?:er|est)|high(?:er|est)|long(?:er|est)|better"
)
LEAST = r"fewe(?:r|st)|less|least|small(?:er|est)|low(?:er|est)|short(?:er|est)|worse"
# Which of two has the more of a dimension, and which the less.
AHEAD = (
    rf"{MOST}|(?:come|comes|came|end|ends) (?:out )?(?:on top|ahead)|on top|wins?|ahead|exceeds?"
    r"|surpass(?:es)?|superior|outrank\w*|outdo\w*|prevails?|leads?|tops?|beats?|rich(?:er|est)"
    r"|deep(?:er|est)|old(?:er|est)|(?:further|farther) back|wider|heavier|hotter|extensive|trumps?"
    r"|edges? out|outstrip\w*|outperform\w*|bright(?:er|est)|tall(?:er|est)|earlier|established"
)
BEHIND = (
    rf"{LEAST}|behind|inferior|trails?|lags?|loses?|young(?:er|est)|new(?:er|est)|recent|modest|dimmer"
    r"|fainter|cooler|colder|lighter|narrower|shallower|lesser|limited"
)
EARLY = r"first|earlier|earliest|before|sooner|prior"
LATE = r"later|latest|after|last|more recently|most recently"
