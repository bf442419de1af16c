"""What English calls the attributes of films and the work of people on them, as data.

Patterns are matched over the words of a question that are left (see `things.py`).
"""

_SCREEN = r"(?:the )?(?:big |silver |movie )?(?:screens?|theat(?:er|re)s?|cinemas?|box office)"
RELEASED = (
    r"releas(?:e|ed|es|ing)|premier(?:e|ed|es)|debut(?:ed|s)?|launch(?:ed)?|unveiled"
    r"|(?:came|come|comes|went|was|is|be|been) out|open(?:ed|s)?"
    r"|(?:hit|hits|hitting|reach|reached|arrived? (?:in|at)|in|into|on|to|shown (?:in|on)) "
    rf"{_SCREEN}"
    r"|(?:first |initially )?(?:screened|shown|aired|seen|projected|exhibited|watch(?:ed)?|viewed)"
    r"|(?:publicly |first |made |become |became |generally )*(?:accessible|available)"
    r"|see the light of day|introduced to"
    r"|(?:could|can|able to|got to) (?:\w+ ){0,3}?(?:see|watch|catch|view)"
)
WHEN = (
    r"when|what (?:\w+ )?(?:date|day|year|time)|which (?:\w+ )?(?:date|day|year)|date|day|year"
    r"|how early"
)
BIRTH = (
    r"born|birthda(?:y|te)s?|birth (?:date|day|year)|(?:date|day|year|time) of birth|dob|b ?days?"
    r"|c[ao]me into (?:this|the) world|(?:first )?see the light of day"
    r"|enter(?:ed)? (?:this|the) world|brought into (?:this|the) world"
    r"|birth"
)

_MONEY = r"(?:rake|bring|take|pull|raked|brought|took|pulled) in|rake|pull|make|made|making"

# Keys of a film, and how English asks for each; in this order, the first that fits.
KEYS: tuple[tuple[str, str], ...] = (
    (
        "budget",
        r"budget|price tag|(?:production|total) costs?|cost|costs|how expensive|how much (?:\w+ )*"
        r"(?:spent|spend|invested|to (?:make|produce|film|shoot|create))|expenditure|expenses",
    ),
    (
        "revenue",
        r"box office(?! hit)|gross(?:ed|es|ing)?|revenues?|earn(?:ed|s|ings?)?|takings|receipts"
        r"|sales|(?:how much|what amount|what(?! (?:\w+ )?(?:year|date|day|time))) (?:\w+ )*"
        rf"(?:{_MONEY}|generate|collect|gain|amass|haul)(?:d|ed)?",
    ),
    (
        "length",
        r"how long (?:is|was|does|did|do)|run ?times?|run(?:ning)? times?|length|duration"
        r"|how many (?:minutes|hours)|screen time",
    ),
    ("genres", r"genres?|(?:kind|type|sort|category|style) of (?:movie|film)"),
    (
        "rating",
        r"rat(?:ings?|ed)|vote average|user score|imdb score|review score|how (?:good|well)",
    ),
    (
        "original_language",
        r"languages?|(?:what|which|native) tongue|spoken in|dialogue|lingua",
    ),
    (
        "original_title",
        r"(?:original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first|former(?:ly)?|old"
        r"|native|working|earlier|previous(?:ly)?|prior|beforehand|different|another|before"
        r"|other|alternat(?:e|ive)|start|begin(?:ning)?|birth|launch|foreign)"
        r"(?: \w+)* (?:titled?|names?|named|entitled|called|known|call|moniker|titles|referred)"
        r"|(?:titled?|titles|names?|named|entitled|called|known|call|moniker|referred)(?: \w+)* "
        r"(?:original(?:ly)?|initial(?:ly)?|official(?:ly)?|first|at first|former(?:ly)?|earlier"
        r"|previous(?:ly)?|prior|beforehand|different(?:ly)?|before|start|begin(?:ning)?|ahead"
        r"|alternat(?:e|ive)|chose|chosen|intended)",
    ),
)

# Jobs of a film's crew, as English asks for them -> as the KG writes them.
JOBS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"executive produc(?:er|ers|ed)", ("Executive Producer",)),
    (r"co ?produc(?:er|ers|ed)", ("Co-Producer",)),
    (r"associate producers?", ("Associate Producer",)),
    (r"line producers?", ("Line Producer",)),
    (r"casting directors?|did the casting|casting", ("Casting",)),
    (r"art directors?|art direction", ("Art Direction",)),
    (r"second unit directors?", ("Second Unit Director",)),
    (r"first assistant directors?", ("First Assistant Director",)),
    (
        r"directors? of photography|cinematographers?|(?:did|handled|behind) the cinematography"
        r"|cinematography",
        ("Director of Photography", "Cinematography"),
    ),
    (
        r"compos(?:er|ers|ed)|scored|(?:wrote|did|made|created) the (?:music|score)"
        r"|music(?:al)? (?:score|composer)|original score",
        ("Original Music Composer",),
    ),
    (r"film editors?|editors?|edited", ("Editor",)),
    (
        r"costume design(?:er|ers)?|(?:designed|did) the costumes",
        ("Costume Design", "Costume Designer"),
    ),
    (r"production design(?:er|ers)?", ("Production Design", "Production Designer")),
    (r"set decorat(?:or|ors|ion)", ("Set Decoration",)),
    (r"stunt coordinators?", ("Stunt Coordinator",)),
    (r"makeup artists?|did the makeup", ("Makeup Artist",)),
    (r"visual effects supervisors?", ("Visual Effects Supervisor",)),
    (r"sound designers?", ("Sound Designer",)),
    (
        r"screenwrit(?:er|ers|ten)|screenplay|script ?writers?|script|writ(?:er|ers|ten|es|ing)"
        r"|wrote|penned|author(?:ed|s)?|scripted",
        ("Screenplay", "Writer", "Author", "Story"),
    ),
    (
        r"direct(?:or|ors|ed|s|ing|ion)|whose (?:film|movie) (?:is|was)|helm(?:ed|er)?"
        r"|film ?makers?|movie ?makers?"
        r"|(?:man|woman|person|mastermind|brains?|creative mind) behind"
        r"|call(?:s|ed|ing)? the shots|t(?:ook|aking) the reins"
        r"|behind the camera|at the helm|in the director chair",
        ("Director",),
    ),
    (r"produc(?:er|ers|ed|es|ing)", ("Producer",)),
)
CAST = (
    r"cast|starr?(?:s|ed|ing)?|act(?:ed|ors?|ress|resses|ing)"
    r"|(?:lead|leading|main|principal|title) "
    r"(?:roles?|parts?|actors?|actress(?:es)?|characters?|stars?|man|lady|men|ladies|performers?)"
    r"|play(?:ed|s)?|portray(?:ed|s)?|perform(?:ed|ers?)|leads?|appear(?:ed|s)?"
)
PLAYED = (
    r"play(?:s|ed|ing)?|portray(?:s|ed|ing)?|voice[sd]?|act(?:s|ed)? as|star(?:s|red)? as"
    r"|cast as|(?:in|took on|take on|plays?|for) the (?:role|part|character) of"
    r"|(?:the )?(?:role|part|character) of"
)

LANGUAGES = {
    "english": "en", "french": "fr", "spanish": "es", "german": "de", "italian": "it",
    "japanese": "ja", "korean": "ko", "chinese": "zh", "mandarin": "zh", "cantonese": "cn",
    "hindi": "hi", "russian": "ru", "portuguese": "pt", "arabic": "ar", "turkish": "tr",
    "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi", "dutch": "nl",
    "polish": "pl", "czech": "cs", "hungarian": "hu", "greek": "el", "hebrew": "he",
    "thai": "th", "persian": "fa", "farsi": "fa", "tamil": "ta", "telugu": "te",
    "malayalam": "ml", "bengali": "bn", "indonesian": "id", "vietnamese": "vi", "ukrainian": "uk",
    "romanian": "ro", "icelandic": "is", "tagalog": "tl", "urdu": "ur", "kannada": "kn",
    "catalan": "ca", "serbian": "sr", "croatian": "hr", "bulgarian": "bg", "latin": "la",
}  # fmt: skip

# Countries of one language, which films that come from there are in.
COUNTRIES = {
    "italy": "it", "france": "fr", "germany": "de", "spain": "es", "japan": "ja",
    "south korea": "ko", "korea": "ko", "china": "zh", "russia": "ru", "portugal": "pt",
    "brazil": "pt", "mexico": "es", "argentina": "es", "sweden": "sv", "denmark": "da",
    "norway": "no", "finland": "fi", "netherlands": "nl", "poland": "pl", "hungary": "hu",
    "greece": "el", "israel": "he", "thailand": "th", "iran": "fa", "turkey": "tr",
    "indonesia": "id", "vietnam": "vi", "ukraine": "uk", "romania": "ro", "iceland": "is",
    "america": "en", "united states": "en", "usa": "en", "austria": "de",
}  # fmt: skip

# A film in one of these may come from another country than the one that is asked about.
SHARED_LANGUAGES = frozenset(("en", "fr", "de", "es", "pt", "zh", "ko", "ru"))

GENRES = {
    "action": "Action", "adventure": "Adventure", "animation": "Animation",
    "animated": "Animation", "comedy": "Comedy", "comedies": "Comedy", "crime": "Crime",
    "documentary": "Documentary", "documentaries": "Documentary", "drama": "Drama",
    "dramas": "Drama", "family": "Family", "fantasy": "Fantasy", "history": "History",
    "historical": "History", "horror": "Horror", "musical": "Music", "mystery": "Mystery",
    "romance": "Romance", "romantic": "Romance", "science fiction": "Science Fiction",
    "sci fi": "Science Fiction", "thriller": "Thriller", "thrillers": "Thriller", "war": "War",
    "western": "Western", "westerns": "Western",
}  # fmt: skip

COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
}  # fmt: skip
