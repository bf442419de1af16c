"""A question in plain words: what leads up to it gone, roundabout wordings made straight."""

import re

# How a question may be led up to; what is left asks by itself.
_FRAME = re.compile(
    r"^(?:(?:hey|hi|hello|please|so|ok|okay|well|and|just|also|actually|quick question)\b ?)*"
    r"(?:(?:(?:can|could|would|will) (?:you|anyone|somebody)|do you|(?:i|we) (?:want|need"
    r"|would like|wish"
    r"|have|am trying|hope)(?: to)?|i'd (?:like|love)(?: to)?|i'm (?:trying to|curious(?: to)?"
    r"|interested in|looking(?: for| to)?|wondering)|i am (?:curious|wondering|interested in"
    r"|looking for)"
    r"|i wonder|(?:it would be )?(?:great|nice|good) if you could|help me(?: to)?|let me|any idea"
    r"|(?:does|do) any(?:one|body))\b ?)?"
    r"(?:(?:please|kindly|possibly|quickly|help me(?: to)?|to)\b ?)*"
    r"(?:(?:tell|give|provide|show|inform|remind|share|explain|find|find out|know|say|let (?:me"
    r"|us) know"
    r"|specify|name|identify|figure out|learn|see|understand)\b ?(?:me |us |out )?(?:with "
    r"|about |of |know )?)?"
    r"(?=(?:what|who|whom|whose|when|where|which|how|the|in|if|whether|is|are|was|were|does|do|did|has"
    r"|xx)\b)"
)


_POSTS = r"(?:jobs?|roles?|posts?|positions?|duties|seats?|credits?|chair|spot|function)"
_SOMEBODY = (
    r"(?:persons?|people|m[ae]n|wom[ae]n|brothers?|sisters?|siblings?|couple|duo|pair|trio|friends?"
    r"|individuals?|guys?|figures?|entrepreneurs?|businessm[ae]n)"
)
# A roundabout wording, and the plain one that means the same.
_PLAINER = tuple(
    (re.compile(rf"\b(?:{roundabout})\b"), plainer)
    for roundabout, plainer in (
        (
            rf"who (?:is|was|were|are) (?:the )?(?:\w+ )?{_SOMEBODY} (?:who|that|which|to have)",
            "who",
        ),
        (rf"(?:which|what|name the) (?:two )?{_SOMEBODY}(?: (?:who|that))? (?=\w+ed )", "who "),
        (r"(?:c[ao]me|comes|thought|dreamed|dreamt|dream) up with", "created"),
        (
            r"(?:come|came|brought|enter|entered|arrive|arrived)(?: in| into)? (?:the|this) world",
            "born",
        ),
        # "who held the director job", "who filled the role of director"
        (
            rf"(?:held|holds|has|had|filled|fills|took|takes|did|does|handled|performed|received"
            rf"|got|gets|was given|occupie[sd]) (?:down |on )?the (\w+) {_POSTS}"
            r"(?: (?:on|for|at) )?",
            r"was the \1 of ",
        ),
        (rf"{_POSTS} of (?=(?!xx)\w+ (?:of|on|for|at|in)\b)", ""),
        (
            r"^would you (?:call|say|describe|consider|class(?:ify)?)(?: that)? xx"
            r"(?: (?:as|is|to be))?",
            "is xx",
        ),
        (r"^is xx considered(?: (?:as|to be))?", "is xx"),
        (
            r"(?:lose|lost) (?:his|her|their) life|(?:leave|left) this (?:world|earth)"
            r"|(?:pass|passed) on|meet (?:his|her) end|perish(?:ed)?"
            r"|breathe[ds]? (?:his|her) last",
            "died",
        ),
    )
)


def plain(question: str) -> str:
    """The words of a question, `xx` in the place of each name, less what leads up to it."""
    rest = re.sub(r"\bthe xx\b", "xx", _FRAME.sub("", question))
    for pattern, plainer in _PLAINER:
        rest = pattern.sub(plainer, rest)
    return " ".join(rest.split())
