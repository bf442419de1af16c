"""Rules for games: who won, and by how much."""

from collections.abc import Iterator
from dataclasses import replace

from models.kg.language.ast import Program
from models.kg.lexicon.positions import Positions, union_of
from models.kg.lexicon.types import QuestionOperator, ValueType
from models.kg.parsing.answers import Clash, Difference, Greater, Winner
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule
from models.kg.parsing.spans import Thing

_WON = "W"  # the KG's values of a result
_LOST = "L"


class WinnerRules(Rule):
    """Which team won or lost a game."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if base.relation.target is not ValueType.RESULT:
            return
        for value, lost in ((_WON, False), (_LOST, True)):
            phrases = self.spans.lexicon.values["result"][value]
            for place in self.spans.match.find(phrases):
                winner = Winner(base.thing.name, lost)
                yield self.candidate(RuleName.WINNER, winner, base, positions=place)


class MarginRules(Rule):
    """By how much a team won or lost one game; a false premise if it did the other."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        opponents_key = f"opponent_{base.relation.key.name}"
        if opponents_key not in base.relation.function.key_names:
            return
        if not self.has(QuestionOperator.DIFFERENCE) or base.scope is TimeScope.SEVERAL_DAYS:
            return
        results = self.spans.lexicon.values["result"]
        won = self.spans.match.find(results[_WON])
        lost = self.spans.match.find(results[_LOST])
        positions = union_of(won or lost)
        margin = Difference(ValueType.NUMBER, greater=self._greater(bool(won), positions))
        both = Program((base.query(), replace(base, key=opponents_key).query()))
        yield self.candidate(
            RuleName.MARGIN,
            margin,
            base,
            operators=[QuestionOperator.DIFFERENCE],
            program=both,
            positions=positions,
        )

    def _greater(self, won: bool, positions: Positions) -> Greater | None:
        """Which team must have more, by the words for a win or a loss at `positions`."""
        cues = self.spans.lexicon.question_words
        if positions:
            return Greater.FIRST if won and not self._is_beaten(positions) else Greater.SECOND
        names_margin = self.spans.match.find((*cues.margin, *cues.by_how_much))
        return Greater.EITHER if names_margin else None

    def _is_beaten(self, positions: Positions) -> bool:
        """Whether it says "was beaten by"."""
        words = self.spans.words
        for i in positions:
            if words[i] in self.spans.lexicon.question_words.beaten:
                if words[i + 1 : i + 2] == ["by"]:
                    return True
        return False


class ResultPremiseRules(Rule):
    """A false premise: a game was not won, or lost, as "they beat" or "Boston's win" says."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        team = base.thing
        if not team.type.is_team or base.scope is not TimeScope.DAY or self.spans.form.polar:
            return
        for value, phrases in self.spans.lexicon.values["premise"].items():
            for place in self.spans.match.find(phrases):
                if self._is_about(team, place):
                    clash = Clash(value, ("result",))
                    yield self.candidate(RuleName.CLASH, clash, base, positions=place)

    def _is_about(self, team: Thing, place: Positions) -> bool:
        """Whether a win or loss at `place` is the team's: directly behind its name, or "their"."""
        before = place.first - 1
        teams = [
            thing
            for thing in self.spans.things
            if thing.type == team.type and thing.positions.last <= before
        ]
        nearest = max(teams, key=lambda thing: thing.positions.last, default=team)
        if nearest.name != team.name:
            return False
        if before in nearest.positions:
            return True
        says_their = self.spans.words[before] in self.spans.lexicon.question_words.possessives
        return says_their and all(thing.name == team.name for thing in teams)
