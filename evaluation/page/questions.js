// The table of all questions, its filters, and the one that is open.

const SHOWN = 50; // rows a page
const comparing = data.kind === "compare";
const failureName = ({ kind, step }) => (step ? `${kind} in ${step}` : kind);
const runsOf = (question, read) => question.runs.flatMap(read);

// A filter keeps a question if one of its values is the chosen one.
const FILTERS = {
  change: comparing && { title: "Change", of: (question) =>
    question.changes.map((change, i) => `${data.pairs[i].after}: ${change}`) },
  verdict: { title: "Verdict", of: (question) => runsOf(question, (run) => run.verdict) },
  domain: { title: "Domain", of: (question) => [question.domain] },
  type: { title: "Type", of: (question) => [question.question_type] },
  dynamism: { title: "Dynamism", of: (question) => [question.static_or_dynamic] },
  by: { title: "Answered by", of: (question) => runsOf(question, (run) => run.source) },
  label: { title: "By hand", of: (question) => runsOf(question, (run) => run.label?.verdict ?? "not labelled") },
  failure: { title: "Failure", of: (question) => runsOf(question, (run) => run.failures.map(failureName)) },
};
const filters = Object.entries(FILTERS).filter(([, filter]) => filter);

const slowest = (question) => Math.max(...question.runs.map((run) => run.seconds));
const changeRank = (question) => Math.min(...question.changes.map((change) => data.changes.indexOf(change)));
const said = (run) => el("span", { class: "said" }, badge(run.verdict), " ", run.answer);

// [key, title, value to sort by, cell]
const COLUMNS = [
  ...(comparing
    ? [["change", "Change", changeRank, (q) => q.changes.map((change) => badge(changeStyle(change), change))]]
    : [["verdict", "Verdict", (q) => VERDICTS.indexOf(q.runs[0].verdict), (q) => badge(q.runs[0].verdict)]]),
  ["query", "Question", (q) => q.query, (q) => el("a", { href: address({ q: q.id, step: "" }) }, q.query)],
  ["gold", "Right answer", (q) => q.golds[0] ?? "", (q) => q.golds.join(" / ")],
  ...(comparing
    ? data.runs.map(({ label }, i) => [`run${label}`, label, (q) => VERDICTS.indexOf(q.runs[i].verdict), (q) => said(q.runs[i])])
    : [["answer", "Answer", (q) => q.runs[0].answer, (q) => q.runs[0].answer]]),
  ["domain", "Domain", (q) => q.domain, (q) => q.domain],
  ...(comparing ? [] : [
    ["type", "Type", (q) => q.question_type, (q) => spaced(q.question_type)],
    ["by", "By", (q) => q.runs[0].source, (q) => q.runs[0].source]]),
  ["seconds", "Time", slowest, (q) => seconds(slowest(q))],
];

let all = [];
let selected = [];

function setUpQuestions(questions) {
  all = questions;
  for (const question of all)
    question.text = [question.id, question.query, ...question.golds, ...question.runs.map((run) => run.answer)].join("\n").toLowerCase();
  const select = ([key, { title, of }]) => {
    if (new Set(all.map((question) => String(of(question)))).size < 2) return null; // nothing to choose
    const values = [...new Set(all.flatMap(of))].sort();
    return el("label", {}, title, el("select", { name: key, change: (event) => setState({ [key]: event.target.value, page: "" }) },
      el("option", { value: "" }, "any"), values.map((value) => el("option", { value }, spaced(value)))));
  };
  const typed = (key) => (event) => setState({ [key]: event.target.value.trim(), page: "" });
  document.getElementById("questions").replaceChildren(
    el("div", { class: "bar" }, el("h2", {}, "Questions"), el("output", { id: "found", role: "status" })),
    el("form", { id: "filters", submit: (event) => event.preventDefault() },
      el("label", { class: "wide" }, "Search", el("input", { name: "text", type: "search", placeholder: "question, answer or id", input: typed("text") })),
      filters.map(select),
      el("label", {}, "Slower than, s", el("input", { name: "slower", type: "number", min: 0, step: "any", input: typed("slower") })),
      el("button", { type: "button", click: resetFilters }, "Reset")),
    el("table", { id: "table", class: data.kind }, el("thead"), el("tbody")),
    el("nav", { id: "pages", "aria-label": "Pages of the table" }));
}

/** Show all questions in their first order; what is open stays open. */
function resetFilters() {
  const names = [...document.getElementById("filters").elements].map((input) => input.name).filter(Boolean);
  setState(Object.fromEntries([...names, "sort", "down", "page"].map((name) => [name, ""])));
}

function matching(state) {
  const active = filters.filter(([key]) => state[key]);
  const text = (state.text ?? "").toLowerCase();
  const slower = Number(state.slower) || 0;
  const found = all.filter((question) =>
    active.every(([key, { of }]) => of(question).includes(state[key])) &&
    (!text || question.text.includes(text)) && (!slower || slowest(question) > slower));
  const column = COLUMNS.find(([key]) => key === (state.sort ?? (comparing ? "change" : "")));
  if (!column) return found;
  const sign = state.down ? -1 : 1;
  const keyed = found.map((question) => [column[2](question), question]);
  const order = typeof keyed[0]?.[0] === "string" ? new Intl.Collator("en", { numeric: true }).compare : (a, b) => a - b;
  return keyed.sort((a, b) => sign * order(a[0], b[0])).map(([, question]) => question);
}

function showQuestions() {
  const state = readState();
  selected = matching(state);
  for (const input of document.getElementById("filters").elements)
    if (input.name && input !== document.activeElement) input.value = state[input.name] ?? "";
  const pages = Math.max(1, Math.ceil(selected.length / SHOWN));
  const page = Math.min(pages, Math.max(1, Number(state.page) || 1));
  const rows = selected.slice((page - 1) * SHOWN, page * SHOWN);
  document.querySelector("#table thead").replaceChildren(el("tr", {}, COLUMNS.map(([key, title]) => {
    const sorted = state.sort === key;
    return el("th", { class: key, "aria-sort": sorted ? (state.down ? "descending" : "ascending") : null },
      el("button", { type: "button", click: () => setState({ sort: key, down: sorted && !state.down ? "1" : "", page: "" }) }, title));
  })));
  document.querySelector("#table tbody").replaceChildren(...rows.map((question) =>
    el("tr", { click: (event) => event.target.closest("a") || getSelection().toString() || (location.hash = address({ q: question.id, step: "" })) },
      COLUMNS.map(([key, title, , cell]) => el("td", { class: key, "data-title": title }, el("div", {}, cell(question)))))));
  document.getElementById("found").textContent = found(selected);
  const turn = (to, text) => el("button", { type: "button", disabled: to < 1 || to > pages ? "" : null,
    click: () => { setState({ page: String(to) }); document.getElementById("questions").scrollIntoView(); } }, text);
  document.getElementById("pages").replaceChildren(...(pages > 1
    ? [turn(page - 1, "← Previous"), el("span", {}, `page ${page} of ${pages}`), turn(page + 1, "Next →")] : []));
}

function found(questions) {
  const of = `${count(questions.length)} of ${plural(all.length, "question")}`;
  if (!questions.length) return of;
  const scores = data.runs.map(({ label }, i) => `${label} ${percent(scoreOf(questions, i))}`.trim());
  return `${of}, score ${scores.join(", ")}`;
}

async function showDetail() {
  const dialog = document.getElementById("detail");
  const id = readState().q;
  const place = id === undefined ? -1 : all.findIndex((question) => question.id === id);
  if (place < 0) return dialog.close();
  const question = all[place];
  const traces = await tracesOf(place);
  if (readState().q !== id) return; // another one was opened meanwhile
  const at = selected.indexOf(question);
  const step = (to, text, name) => el("a", { class: "button", "aria-label": name, "aria-disabled": selected[to] && at >= 0 ? null : "true",
    href: selected[to] && at >= 0 ? address({ q: selected[to].id, step: "" }) : null }, text);
  dialog.replaceChildren(
    el("div", { class: "bar" },
      el("span", { class: "note" }, at >= 0 ? `${count(at + 1)} of ${count(selected.length)}` : "not in the filter"),
      step(at - 1, "←", "Previous question"), step(at + 1, "→", "Next question"),
      el("button", { type: "button", "aria-label": "Close", click: closeDetail }, "✕")),
    el("h2", { tabindex: -1, autofocus: "" }, question.query),
    el("p", { class: "note" }, [question.domain, spaced(question.question_type), question.static_or_dynamic].join(" · "), " · ",
      el("a", { href: address({ q: id }, {}) }, id)),
    el("p", {}, el("span", { class: "name" }, "Right answer "), question.golds.join(" / ") || "none"),
    el("div", { class: "outcomes" }, question.runs.map((run, i) => outcome(run, traces[i], data.runs[i], question.golds))),
    below(question));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  if (readState().step) dialog.querySelector(`[data-step="${Number(readState().step)}"]`)?.scrollIntoView();
}

const closeDetail = () => readState().q && setState({ q: "", step: "" });

function outcome(run, trace, { label, traced }, golds) {
  const tokens = run.tokens ? ` · ${count(run.tokens)} tokens` : "";
  const cost = run.dollars ? `${tokens} · $${run.dollars.toFixed(5)}` : tokens;
  return el("section", { class: `outcome ${run.verdict}` },
    el("div", { class: "answer" }, label ? badge("run", label) : null, badge(run.verdict), el("strong", {}, run.answer)),
    el("p", { class: "note" }, `${run.reason || "no reason given"} · by ${run.source} · ${seconds(run.seconds)}${cost}`),
    run.label ? el("p", { class: "note" }, "By hand ", badge(run.label.verdict), ` ${run.label.note}`) : null,
    run.failures.map((failure) => el("p", { class: "failure" }, el("b", {}, failureName(failure)), ` ${failure.example}`)),
    trace.length
      ? el("ol", { class: "steps" }, trace.map((step, number) => el("li", { "data-step": number }, stepOf(step, marker(golds), address({ step: String(number) })))))
      : el("p", { class: "note" }, traced ? "It has no steps." : "The run kept no traces."));
}

/** A step; its name is a link to it. */
function stepOf(step, mark, link) {
  const facts = [seconds(step.seconds)];
  if (step.tokens || step.prompt_tokens) facts.push(`${count(step.prompt_tokens)} read, ${count(step.tokens)} written`);
  if (step.llm) facts.push(`LLM ${step.llm}, ${step.adapter ? `adapter ${step.adapter}` : "no adapter"}`);
  if (step.cost) facts.push(`$${step.cost.toFixed(5)}`);
  const sure = Object.entries(step.confidence).filter(([name, value]) => value || !/^(about|from)_|^invalid$/.test(name));
  const turns = Object.hasOwn(data.prompts, step.prompt) ? data.prompts[step.prompt] : null;
  const filled = (text) => text.replace(/\{([a-z_]+)\}/g, (place, name) => step.inputs[name] ?? place);
  return el("div", {},
    el("h3", {}, el("a", { href: link }, spaced(step.name)), el("small", {}, facts.join(" · "))),
    Object.entries(step.inputs).map(([name, value]) =>
      el("div", { class: "value" }, el("span", { class: "name" }, spaced(name)), el("pre", { class: name }, mark(value)))),
    turns ? el("details", {}, el("summary", {}, `Prompt ${step.prompt}`), turns.map(([role, text]) =>
      el("div", { class: "value" }, el("span", { class: "name" }, role), el("pre", {}, mark(filled(text)))))) : null,
    el("div", { class: "value" }, el("span", { class: "name" }, step.llm ? "completion" : "output"), el("pre", { class: "made" }, step.output ? mark(step.output) : "(nothing)")),
    sure.length ? el("p", { class: "note" }, sure.map(([name, value]) => `${spaced(name)} ${Number(value).toPrecision(3)}`).join(" · ")) : null);
}

/** A function that splits a text into nodes, each gold answer in it marked. */
function marker(golds) {
  const words = golds.filter((gold) => gold.trim().length > 1).sort((a, b) => b.length - a.length)
    .map((gold) => gold.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return (text) => [text];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return (text) => text.split(pattern).map((part, i) => (i % 2 ? el("mark", {}, part) : part));
}
