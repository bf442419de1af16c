"""A step of a trace, drawn for a terminal."""

from collections.abc import Mapping

from rich.panel import Panel
from rich.text import Text

from models.prompts import load_prompt
from models.runtime.trace import Step
from utils.terminal import visible


def step_panel(step: Step, most_chars: int | None, *, prompts: bool = False) -> Panel:
    """The inputs and the output of a step in a frame.

    Args:
        most_chars: characters of each value that are shown; None: all.
        prompts: show the whole prompt of a step with an LLM instead of the values in it.
    """
    body = _step_body(step, most_chars, prompts=prompts)
    return Panel(body, title=Text(_step_title(step)), title_align="left")


def _step_title(step: Step) -> str:
    """The name, time, tokens, LLM and cost of a step."""
    parts = [step.name, f"{step.seconds:.3f} s"]
    if step.llm or step.tokens:
        parts.append(f"{step.prompt_tokens} + {step.tokens} tokens")
        parts.append(f"LLM: {step.llm or '?'}, adapter: {step.adapter or 'none'}")
        if step.cost:
            parts.append(f"${step.cost:.5f}")
    return " · ".join(parts)


def _step_body(step: Step, most_chars: int | None, *, prompts: bool) -> Text:
    """The inputs, or the prompt, then the output and the confidence figures of a step."""
    inputs = step.inputs
    if prompts and step.prompt:
        inputs = _prompt_messages(step.prompt, step.inputs)
    body = Text()
    for name, value in inputs.items():
        body.append(f"{name}: ", style="cyan")
        body.append(_cut(value, most_chars) + "\n")
    body.append(_cut(step.output, most_chars) or "(nothing)", style="green")
    if step.confidence:
        figures = ", ".join(f"{name} {value:.3g}" for name, value in step.confidence.items())
        body.append(f"\n{figures}", style="magenta")
    return body


def _prompt_messages(prompt_name: str, inputs: Mapping[str, str]) -> dict[str, str]:
    """The messages of a prompt by their role, with the inputs filled in."""
    template = load_prompt(prompt_name)
    messages = template.render({name: inputs.get(name, "") for name in template.fields})
    return {message.role: f"\n{message.text}" for message in messages}


def _cut(text: str, most_chars: int | None) -> str:
    text = visible(text)
    if most_chars is None or len(text) <= most_chars:
        return text
    return f"{text[:most_chars]} … ({len(text)} characters)"
