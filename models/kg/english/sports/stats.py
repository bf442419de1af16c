"""How English asks for what counts a team's play in the NBA."""

# What counts a team's play in the NBA: the name in the KG less its side.
_THREES = (
    r"(?:(?:3|three|threes?) ?(?:point(?:er)?s?)?(?: (?:shots?|field goals?))?|treys?|triples"
    r"|(?:from|beyond) (?:deep|the arc))"
)
_TRIED = r"(?:attempt\w*|tried|took|taken|put up)"
_RATE = r"(?:percent(?:age)?|pct|rate|accuracy)"
_SHOTS = r"(?:field goals?|shots?)"
STATS = (
    ("fg3_pct", rf"{_THREES} .*{_RATE}|{_RATE} .*{_THREES}"),
    ("fg3a", rf"{_TRIED} .*{_THREES}|{_THREES} .*{_TRIED}"),
    ("fg3m", r"(?:3|three) ?point(?:er)?s?(?: shots?| field goals?)?|threes|3s|treys"),
    ("ft_pct", rf"free throw .*{_RATE}|{_RATE} .*free throws?"),
    ("fta", rf"free throws? .*{_TRIED}|{_TRIED} .*free throws?"),
    ("ftm", r"free throws?|foul shots"),
    ("fg_pct", rf"(?:field goal|shooting|shot) {_RATE}|{_RATE} (?:from the field|of {_SHOTS})"),
    ("fga", rf"{_SHOTS} .*{_TRIED}|{_TRIED} .*{_SHOTS}"),
    ("fgm", r"field goals?|shots? made|made shots?|baskets"),
    ("oreb", r"offensive (?:rebounds?|boards)"),
    ("dreb", r"defensive (?:rebounds?|boards)"),
    ("reb", r"rebounds?|boards|rebounding"),
    ("ast", r"assists?|dimes"),
    ("stl", r"steals?"),
    ("blk", r"blocks?|blocked shots?"),
    ("tov", r"turnovers?|giveaways"),
    ("pf", r"(?:personal )?fouls?"),
)
STAT_NAMES = frozenset(name for name, _ in STATS)
