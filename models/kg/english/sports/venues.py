"""How English says where a team played: at home, or away."""

from models.kg.linking.question import any_of

_GROUND = (
    r"(?:soil|ground|turf|patch|field|pitch|stadium|court|arena|backyard|territory|floor|venue|den)"
)
_PEOPLE = r"(?:fans?|crowd|supporters?|faithful|audience|public)"
_GAME = r"(?:games?|match(?:es)?|fixtures?|contests?|clash(?:es)?|outings?|trip)"
HOME = any_of(
    rf"""
    at home|(?:the )?home (?:team|side|club|advantage|comfort)|as hosts?|hosts?|hosting|hosted
    home (?:LEAGUE )?(?:{_GROUND}|{_PEOPLE}|{_GAME})|(?:the )?home
    (?:their|its|TEAM) own (?:home )?(?:{_GROUND}|{_PEOPLE})|stay(?:ed)? home
    (?:their|its) (?:home )?(?:{_PEOPLE})
    """
)
AWAY = any_of(
    rf"""
    away(?: from home)?|on the road|road {_GAME}|visitors?|visiting(?: (?:team|side|club))?
    travel(?:s|led|ed|ling|ing)?(?: away)?|(?:foreign|enemy|hostile|opposing|neutral) {_GROUND}
    (?:their |the )?(?:opponents?|opposition|rivals?|hosts?) {_GROUND}|as guests?|guests
    someone else {_GROUND}|elsewhere
    """
)
# A choice between the two.
EITHER = rf"(?:{HOME}) or (?:\w+ ){{0,4}}?(?:{AWAY})|(?:{AWAY}) or (?:\w+ ){{0,4}}?(?:{HOME})"
