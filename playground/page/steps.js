// A question that was asked: its steps as they end, its passages, and the pages they stand in.

let asked = null; // the question that is shown
let source = null; // of its events

/** What the server says, as JSON; an error has its message. */
async function call(path, body) {
  const request = body === undefined ? {} :
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(path, request).catch(() => null);
  if (reply === null) throw new Error("the server does not answer: is it still running?");
  const said = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(said.error?.message ?? `status ${reply.status}`);
  return said;
}

const failed = (error) => el("p", { class: "failure", role: "alert" }, error.message ?? String(error));

/** Follow a question's events and draw them. */
function followAsked(id) {
  source?.close();
  asked = { id, steps: [], passages: [], failures: [], done: null };
  source = new EventSource(`api/asked/${encodeURIComponent(id)}/events`);
  source.onmessage = ({ data: text }) => heard(JSON.parse(text));
  source.onerror = () => { // it would ask again and again
    source.close();
    if (asked.done) return;
    asked.failures.push({ kind: "no answer", text: asked.question
      ? "the server stopped while it answered" : "the server does not know this question: it keeps the last hundred, until it stops" });
    asked.done = { answer: "", source: "none", seconds: 0 };
    drawAsked();
  };
  drawAsked();
}

function heard(event) {
  if (event.type === "asked") Object.assign(asked, event, { steps: [], passages: [], failures: [] });
  else if (event.type === "step") asked.steps.push(event);
  else if (event.type === "passages") asked.passages = event.passages;
  else if (event.type === "failure") asked.failures.push(event);
  else if (event.type === "answer") asked.answer = event;
  else if (event.type === "done") {
    asked.done = event;
    source.close();
  }
  drawAsked();
}

/** The texts to mark: the right answers, else the answer. */
const markedTexts = () => asked.golds?.length ? asked.golds : asked.done ? [asked.done.answer] : [];

function drawAsked() {
  const { done, steps } = asked;
  const mark = marker(markedTexts());
  const total = (read) => steps.reduce((sum, { step }) => sum + read(step), 0);
  const tokens = total((step) => step.tokens + step.prompt_tokens);
  const facts = [asked.time, asked.task && `task ${asked.task}`, asked.system, done && `by ${done.source}`, done && seconds(done.seconds),
    tokens && `${count(tokens)} tokens`, tokens && `$${total((step) => step.cost).toFixed(5)}`].filter(Boolean).join(" · ");
  document.getElementById("asked").replaceChildren(
    el("article", { class: "card", "aria-busy": done ? "false" : "true" },
      el("h2", {}, asked.question ?? "…"),
      el("p", { class: "note" }, facts, " · ", el("a", { href: address({ asked: asked.id }, {}) }, "link")),
      el("p", { class: "answer", role: "status" }, done?.verdict ? badge(done.verdict) : null, " ",
        el("strong", {}, done ? done.answer : asked.answer?.answer ?? "…"), done ? confidenceOf(steps) : null),
      done?.reason ? el("p", { class: "note" }, done.reason) : null,
      asked.failures.map(({ kind, step, text }) => el("p", { class: "failure" }, el("b", {}, failureName({ kind, step })), ` ${text}`)),
      el("ol", { class: "steps" },
        asked.passages.length ? el("li", { id: "passages" }, passagesOf(mark)) : null,
        steps.map(({ step, prompt }, number) => el("li", { id: `step-${number}` }, liveStep(step, prompt, number, mark)))),
      done && asked.question ? [readings(), keepForm(), el("button", { type: "button", click: exportPage }, "Export as one file")] : null));
  const { step } = readState();
  if (done && step !== undefined) document.getElementById(`step-${step}`)?.scrollIntoView();
}

/** How sure the system is of its answer, by the last figure of its steps. */
function confidenceOf(steps) {
  const chance = steps.map(({ step }) => step.inputs.chance ?? step.confidence.probability ?? step.confidence.likely).filter((value) => value !== undefined).at(-1);
  return chance === undefined ? null : el("small", {}, ` confidence ${Number(chance).toFixed(2)}`);
}

function liveStep(step, prompt, number, mark) {
  const changes = el("div", {});
  const button = (text, editor) => el("button", { type: "button", class: "change", disabled: asked.done ? null : "", click: () => changes.replaceChildren(editor()) }, text);
  return el("div", {}, stepOf(step, mark),
    el("p", { class: "actions" },
      prompt ? button("Change the prompt", () => promptEditor(number, prompt, step.output)) : null,
      programsIn(step).map((program) => button("Look into the program", () => programEditor(program, step.inputs.result ?? step.output))),
      el("a", { class: "note", href: address({ asked: asked.id, step: String(number) }, {}) }, "link to this step")),
    changes);
}

/** The programs in a step. */
function programsIn(step) {
  if (step.inputs.program) return [step.inputs.program];
  return step.name === "write_query" && step.output ? [step.output.split("\n---\n")[0]] : [];
}

/** The passages, which can be left out and moved. */
function passagesOf(mark) {
  const result = el("div", {});
  const list = el("ol", { class: "passages" }, asked.passages.map((passage, number) => {
    const item = el("li", { "data-number": number },
      el("label", {}, el("input", { type: "checkbox", checked: "", "aria-label": `read passage ${number + 1}` }), ` ${passage.title}`),
      el("button", { type: "button", "aria-label": "Earlier", click: () => item.previousElementSibling?.before(item) }, "↑"),
      el("button", { type: "button", "aria-label": "Later", click: () => item.nextElementSibling?.after(item) }, "↓"),
      el("button", { type: "button", class: "in-page", click: () => openPage(passage).catch((error) => item.append(failed(error))) }, "in its page"),
      el("pre", {}, mark(passage.text)));
    return item;
  }));
  const chosen = () => [...list.children].filter((item) => item.querySelector("input").checked).map((item) => Number(item.dataset.number));
  return el("div", {}, el("h3", {}, "Passages", el("small", {}, `${asked.passages.length}, best first`)), list,
    el("p", { class: "actions" }, el("button", { type: "button", disabled: asked.done ? null : "", click: () => readAgain(chosen(), result) }, "Read these again")), result);
}

/** Show the text of a passage's page, with the passage marked. */
async function openPage({ page, start, end, url }) {
  const { title, text } = await call(`api/asked/${asked.id}/pages/${page}`);
  const dialog = document.getElementById("page");
  const place = el("mark", {}, text.slice(start, end));
  dialog.replaceChildren(
    el("div", { class: "bar" }, el("span", { class: "note" }, url), el("button", { type: "button", "aria-label": "Close", click: () => dialog.close() }, "✕")),
    el("h2", {}, title), el("pre", { class: "whole" }, text.slice(0, start), place, text.slice(end)));
  dialog.showModal();
  place.scrollIntoView({ block: "center" });
}

/** The parser's best readings, asked for when they are opened. */
function readings() {
  if (!data.has_kg) return null;
  const box = el("details", { id: "readings", toggle: async () => {
    if (!box.open || box.childElementCount > 1) return;
    try {
      const rows = await call(`api/asked/${asked.id}/candidates`);
      box.append(rows.length ? el("ol", {}, rows.map(readingOf)) : el("p", { class: "note" }, "There are none."));
    } catch (error) { box.append(failed(error)); }
  } }, el("summary", {}, "The semantic parser's best readings"));
  return box;
}

const readingOf = ({ program, answer, sentences, score, features }) => el("li", {},
  el("p", {}, el("strong", {}, answer ?? "no answer"), el("small", {}, ` score ${score.toFixed(2)}`)), el("pre", {}, program),
  el("p", { class: "note" }, sentences),
  el("details", {}, el("summary", {}, plural(features.length, "feature")),
    table(["feature", "value", "adds"], features.map(([name, value, part]) => [spaced(name), value.toFixed(2), part.toFixed(2)]))));
