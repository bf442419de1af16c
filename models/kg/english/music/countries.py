"""Countries by the code that the KG has for them, and what English calls them and their people."""

_TABLE = """
AR argentina argentine argentinian
AT austria austrian
AU australia australian
BB barbados barbadian
BE belgium belgian
BR brazil brazilian
CA canada canadian
CH switzerland swiss
CL chile chilean
CN china chinese
CO colombia colombian
CU cuba cuban
CZ czechia czech
DE germany german
DK denmark danish
ES spain spanish
FI finland finnish
FR france french
GB uk britain british england english united-kingdom great-britain
GR greece greek
HU hungary hungarian
IE ireland irish
IL israel israeli
IN india indian
IS iceland icelandic
IT italy italian
JM jamaica jamaican
JP japan japanese
KR korea korean south-korea south-korean
MX mexico mexican
NG nigeria nigerian
NL netherlands dutch holland
NO norway norwegian
NZ new-zealand
PL poland polish
PR puerto-rico puerto-rican
PT portugal portuguese
RU russia russian
SE sweden swedish
TR turkey turkish
UA ukraine ukrainian
US us usa america american united-states united-states-of-america
ZA south-africa south-african
"""
CODES: dict[str, str] = {
    name.replace("-", " "): line.split()[0]
    for line in _TABLE.strip().splitlines()
    for name in line.split()[1:]
}
