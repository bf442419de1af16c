"""The attributes of every domain but the open one, whose keys are whatever an infobox had."""

from models.kg.domains import finance, movie, music, sports

ATTRIBUTES = (*movie.ATTRIBUTES, *finance.ATTRIBUTES, *music.ATTRIBUTES, *sports.ATTRIBUTES)
