"""The command line of an evaluation."""

from collections.abc import Sequence

import typer

from evaluation.arguments import EvaluationParts, RunArguments
from utils.cli import new_app, run

UNDER = 1  # the score is lower than was asked for
INTERRUPTED = 130


def main(
    argv: Sequence[str], parts: EvaluationParts, name: str = "python local_evaluation.py"
) -> int:
    """Run an evaluation and return its exit status.

    Args:
        name: the command in usage lines.

    Returns:
        0; 2 for an error of ours or of the arguments, or a check that failed; 3 where every
        question failed, or the setup for the first batch, two in a row or the last one; 1 where
        the score is under `--fail-under`; 130 when interrupted.
    """
    app = new_app()
    app.command()(RunArguments)
    return run(app, argv, name, lambda args: _evaluate(args, argv, parts, name))


def _evaluate(args: RunArguments, argv: Sequence[str], parts: EvaluationParts, name: str) -> int:
    """The exit status of an evaluation."""
    # --help needs none of what these import
    from evaluation.evaluation import Evaluation
    from evaluation.runner import SetupFailed

    evaluation = Evaluation(args, argv, parts, name)
    try:
        metrics = evaluation.run()
    except KeyboardInterrupt:
        command = evaluation.resume_command()
        advice = "Nothing was answered yet."
        if command is not None:
            advice = f"The answers so far are kept; to resume:\n  {command}"
        typer.echo(f"\nInterrupted. {advice}", err=True)
        return INTERRUPTED
    except SetupFailed as error:
        command = evaluation.resume_command()
        advice = "Nothing was saved: correct it and run the command again."
        if command is not None:
            advice = (
                "The answers so far are kept. When the setup works again, a server at the same "
                f"address, this asks for the others:\n  {command}"
            )
        typer.echo(f"error: {error}\n{advice}", err=True)
        return error.exit_status
    least = args.fail_under
    if least is None:
        return 0
    if metrics.unscored == metrics.total:
        typer.echo(f"no answer was scored, so the score is under --fail-under {least:g}", err=True)
        return UNDER
    if 100 * metrics.score < least:
        typer.echo(f"the score, {metrics.score:.1%}, is under --fail-under {least:g}", err=True)
        return UNDER
    return 0
