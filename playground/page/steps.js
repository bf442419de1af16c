// A question that was asked: its steps as they end, its passages, and the pages they stand in.

let inquiry = null; // the question that is shown
let source = null; // of its events
let scrolledTo = null; // where the page stands that goes to the answer of a question asked here

/** What the server says, as JSON; an error has its message. */
async function call(path, body) {
  const request = body === undefined ? {} :
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(path, request).catch(() => null);
  if (reply === null) throw new Error("the server does not answer: is it still running?");
  const value = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(value.error?.message ?? `status ${reply.status}`);
  return value;
}

const failed = (error) => el("p", { class: "failure", role: "alert" }, error.message ?? String(error));

/** Follow a question's events and draw them. */
function followInquiry(id) {
  source?.close();
  inquiry = { id, steps: [], passages: [], failures: [], done: null, nodes: {} };
  source = new EventSource(`api/inquiries/${encodeURIComponent(id)}/events`);
  source.onmessage = ({ data: text }) => heard(JSON.parse(text));
  source.onerror = () => { // it would ask again and again
    source.close();
    if (inquiry.done) return;
    const text = inquiry.question ? "the server stopped while it answered"
      : "the server does not know this question: it keeps the last hundred at most, until it stops";
    inquiry.failures.push({ kind: "no answer", text });
    inquiry.done = { answer: "", source: "none", seconds: 0 };
    drawInquiry();
  };
  drawInquiry();
}

function heard(event) {
  if (event.type === "begun") {
    Object.assign(inquiry, event, { steps: [], passages: [], failures: [], nodes: {}, before: 0 });
    fillInIfEmpty(inquiry);
  } else if (event.type === "waiting") inquiry.before = event.before;
  else if (event.type === "step") inquiry.steps.push(event);
  else if (event.type === "passages") inquiry.passages = event.passages;
  else if (event.type === "failure") inquiry.failures.push(event);
  else if (event.type === "answer") inquiry.answer = event;
  else if (event.type === "done") {
    inquiry.done = event;
    inquiry.nodes = {}; // with marks, and with buttons that can be pressed
    source.close();
  }
  drawInquiry();
  goToAnswer();
}

/** Keep a question that was asked here in view while it grows, unless the user scrolls elsewhere. */
function goToAnswer() {
  if (scrolledTo !== scrollY) return;
  document.getElementById("inquiry").scrollIntoView();
  scrolledTo = inquiry.done ? null : scrollY;
}

/** Show no question. */
function leaveInquiry() {
  source?.close();
  inquiry = null;
  document.getElementById("inquiry").replaceChildren();
}

/** The texts to mark: the right answers, else the answer. */
const markedTexts = () => inquiry.golds?.length ? inquiry.golds : inquiry.done ? [inquiry.done.answer] : [];

function drawInquiry() {
  const { done, steps } = inquiry;
  const mark = marker(markedTexts());
  const total = (read) => steps.reduce((sum, { step }) => sum + read(step), 0);
  const tokens = total((step) => step.tokens + step.prompt_tokens);
  const cost = total((step) => step.cost);
  const facts = [
    inquiry.time, inquiry.task && `task ${inquiry.task}`, inquiry.system,
    done && `by ${done.source}`, done && seconds(done.seconds),
    tokens && `${count(tokens)} tokens`, cost && `$${cost.toFixed(5)}`,
  ].filter(Boolean).join(" · ");
  const { activeElement } = document;
  document.getElementById("inquiry").replaceChildren(
    el("article", { class: "card", "aria-busy": done ? "false" : "true" },
      el("h2", {}, inquiry.question ?? (done ? "No such question" : "…")),
      inquiry.question
        ? el("p", { class: "note" }, facts, " · ", el("a", { href: address({ inquiry: inquiry.id }, {}) }, "link"))
        : null,
      el("p", { class: "answer", role: "status" }, done?.verdict ? badge(done.verdict) : null, " ",
        el("strong", {}, done ? done.answer : inquiry.answer?.answer ?? "…"), confidenceOf(inquiry)),
      !done && inquiry.before
        ? el("p", { class: "note waiting" }, `Waiting: ${inquiry.before === 1 ? "one question is" : `${inquiry.before} questions are`} before yours.`)
        : null,
      done?.reason ? el("p", { class: "note" }, done.reason) : null,
      inquiry.failures.map(({ kind, step, text }) =>
        el("p", { class: "failure" }, el("b", {}, failureName({ kind, step })), ` ${text}`)),
      el("ol", { class: "steps" },
        inquiry.passages.length ? drawnOnce("passages", () => passagesOf(mark)) : null,
        steps.map(({ step, prompt }, number) =>
          drawnOnce(`step-${number}`, () => liveStep(step, prompt, number, mark)))),
      done && inquiry.question ? [
        readings(), ownProgram(), keepForm(),
        el("p", { class: "actions" }, el("button", { type: "button", click: exportPage }, "Export as one file")),
      ] : null));
  activeElement.focus({ preventScroll: true }); // which a node that was moved has lost
  if (done) scrollToStep();
}

/** A part of the question that stays as the user has it, open or closed, while others follow. */
function drawnOnce(id, draw) {
  if (inquiry.nodes[id]) return inquiry.nodes[id];
  const node = el("li", { id }, draw());
  const before = document.getElementById(id)?.querySelectorAll("details") ?? [];
  node.querySelectorAll("details").forEach((details, i) => { details.open = before[i]?.open ?? false; });
  return inquiry.nodes[id] = node;
}

/** Show the step that the address names. */
function scrollToStep() {
  const { inquiry: id, step } = readState();
  if (id && step !== undefined) document.getElementById(`step-${step}`)?.scrollIntoView();
}

/** How sure the system is of its answer: by the confidence model, the parser, or the LLM that wrote it. */
function confidenceOf({ done, steps }) {
  if (!done || done.source === "none") return null;
  const last = (read) => steps.map(({ step }) => read(step)).findLast((value) => value !== undefined);
  const ofParser = done.source === "kg" ? last((step) => step.confidence.probability) : undefined;
  const figure = last((step) => step.inputs.chance) ?? ofParser ?? last((step) => step.confidence.likely);
  return figure === undefined ? null : el("small", {}, ` confidence ${Number(figure).toFixed(2)}`);
}

function liveStep(step, prompt, number, mark) {
  const changes = el("div", {});
  const disabled = inquiry.done ? null : "";
  const button = (text, editor) => el("button",
    { type: "button", class: "change", disabled, click: () => changes.replaceChildren(editor()) }, text);
  return el("div", {}, stepOf(step, mark, address({ inquiry: inquiry.id, step: String(number) }, {})),
    el("p", { class: "actions" },
      prompt ? button("Change the prompt", () => promptEditor(number, prompt, step.output)) : null,
      programsIn(step).map(([program, before]) =>
        button("Look into the program", () => programEditor(program, before)))),
    changes);
}

/** The programs in a step, each with the sentences that it returned; null: the step does not say. */
function programsIn({ name, inputs, output }) {
  if (inputs.program) return [[inputs.program, inputs.result ?? output]];
  if (inputs.programs) return inputs.programs.split("\n").map((program) => [program, null]);
  return name === "write_query" && output ? [[output.split("\n---\n")[0], null]] : [];
}

/** The passages, which can be left out and moved. */
function passagesOf(mark) {
  const result = el("div", {});
  const disabled = inquiry.done ? null : "";
  const list = el("ol", { class: "passages" }, inquiry.passages.map((passage, number) => {
    const label = `read passage ${number + 1}`;
    const earlier = () => item.previousElementSibling?.before(item);
    const later = () => item.nextElementSibling?.after(item);
    const item = el("li", { "data-number": number },
      el("label", {},
        el("input", { type: "checkbox", checked: "", disabled, "aria-label": label }), ` ${passage.title}`),
      el("button", { type: "button", "aria-label": "Earlier", disabled, click: earlier }, "↑"),
      el("button", { type: "button", "aria-label": "Later", disabled, click: later }, "↓"),
      el("button", { type: "button", class: "in-page",
        click: () => openPage(passage).catch((error) => item.append(failed(error))) }, "in its page"),
      el("pre", {}, mark(passage.text)));
    return item;
  }));
  const checked = () => [...list.children].filter((item) => item.querySelector("input").checked);
  const numbers = () => checked().map((item) => Number(item.dataset.number));
  const button = runner("Read these again", result, () => readAgain(numbers()));
  button.disabled = !inquiry.done;
  return el("div", {},
    el("h3", {}, "Passages", el("small", {}, `${inquiry.passages.length}, best first`)), list,
    el("p", { class: "actions" }, button), result);
}

/** Show the text of a passage's page, with the passage marked. */
async function openPage({ page, start, end, url }) {
  const { title, text } = await call(`api/inquiries/${inquiry.id}/pages/${page}`);
  const dialog = document.getElementById("page");
  const characters = Array.from(text); // start and end count characters, not units of UTF-16
  const part = (from, to) => characters.slice(from, to).join("");
  const place = el("span", { class: "passage" }, marker(markedTexts())(part(start, end)));
  dialog.replaceChildren(
    el("div", { class: "bar" }, el("span", { class: "note" }, url),
      el("button", { type: "button", "aria-label": "Close", click: () => dialog.close() }, "✕")),
    el("h2", {}, title), el("pre", { class: "whole" }, part(0, start), place, part(end)));
  dialog.showModal();
  place.scrollIntoView({ block: "center" });
}

/** A program of one's own, over the KG of the question. */
function ownProgram() {
  if (!data.has_kg) return null;
  return el("details", { id: "own-program" }, el("summary", {}, "A program of your own"), programEditor("", null));
}

/** The parser's best readings, asked for when they are opened. */
function readings() {
  if (!data.has_kg) return null;
  const box = el("details", { id: "readings", toggle: async () => {
    if (!box.open || box.childElementCount > 1) return;
    try {
      const rows = await call(`api/inquiries/${inquiry.id}/readings`);
      box.append(rows.length ? el("ol", {}, rows.map(readingOf)) : el("p", { class: "note" }, "There are none."));
    } catch (error) { box.append(failed(error)); }
  } }, el("summary", {}, "The semantic parser's best readings"));
  return box;
}

const readingOf = ({ program, answer, sentences, score, features }) => el("li", {},
  el("p", {}, el("strong", {}, answer ?? "no answer"), el("small", {}, ` score ${score.toFixed(2)}`)),
  el("pre", {}, program),
  el("p", { class: "note" }, sentences),
  el("details", {}, el("summary", {}, plural(features.length, "feature")),
    table(["feature", "value", "adds"],
      features.map(([name, value, part]) => [spaced(name), value.toFixed(2), part.toFixed(2)]))));
