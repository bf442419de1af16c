// The form, what is kept, and the questions of a run.

const form = document.getElementById("ask");
let chosenRow = ""; // the example whose pages can be read

function option(value, text = value, selected = false) {
  return el("option", { value, selected: selected ? "" : null }, text);
}

function drawForm() {
  const submitOnEnter = (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (!event.repeat) form.requestSubmit();
  };
  form.replaceChildren(
    el("label", { class: "wide" }, "Question", el("textarea",
      { name: "question", rows: 2, required: "", autofocus: "", maxlength: 2000, keydown: submitOnEnter })),
    el("label", {}, "Asked at (US Pacific)", el("input", { name: "time", placeholder: "now, or 2024-03-05T16:00" })),
    el("label", {}, "Task", el("select", { name: "task" }, option("", "as its sources imply"),
      option("1", "1: pages"), option("2", "2: KG and pages"), option("3", "3: KG and 50 pages"))),
    el("label", {}, "System", el("select", { name: "system" },
      data.systems.map((name) => option(name, name, name === data.system)))),
    el("label", {}, "Web path", el("select", { name: "preset" },
      option("", "as the system has it"), data.presets.map((name) => option(name)))),
    el("fieldset", { id: "row-pages" }),
    el("details", { class: "wide" }, el("summary", {}, "Pages of your own"),
      el("label", {}, "HTML files",
        el("input", { name: "files", type: "file", multiple: "", accept: ".html,.htm,.txt" })),
      el("label", {}, "HTML or text", el("textarea", { name: "html", rows: 3 }))),
    el("button", { type: "submit", class: "ask" }, "Ask"),
    el("button", { type: "button", class: "clear", click: clearForm }, "Clear"),
    el("nav", { class: "examples", "aria-label": "Examples" }, data.examples.map((example) =>
      el("button", { type: "button", click: () => { fillIn(example); form.requestSubmit(); } }, example.query))),
    el("div", { id: "problem" }));
}

function clearForm() {
  form.reset();
  fillIn({ id: "", query: "", time: "", pages: [] });
  form.elements.question.focus();
}

/** Put the question that is shown into an empty form, without its pages. */
function fillInIfEmpty({ question, query_time: time }) {
  if (!form.elements.question.value) fillIn({ id: "", query: question, time, pages: [] });
}

/** Put a question of the dataset into the form; system and web path stay. */
function fillIn({ id, query, time, pages }) {
  chosenRow = id;
  for (const name of ["task", "files", "html"]) form.elements[name].value = "";
  form.elements.question.value = query;
  form.elements.time.value = time;
  const boxes = pages.map((url, number) => el("label", {},
    el("input", { type: "checkbox", name: "row_page", value: number, checked: "" }), ` ${url}`));
  const title = `Pages of “${query}”, for another question, too; Clear removes them`;
  const legend = pages.length ? [el("legend", {}, title)] : [];
  document.getElementById("row-pages").replaceChildren(...legend, ...boxes);
}

/** The text of a file, in the encoding that its <meta> names; else in UTF-8. */
async function readHtml(file) {
  const bytes = await file.arrayBuffer();
  const head = new TextDecoder("latin1").decode(bytes.slice(0, 1024));
  const encoding = head.match(/<meta[^>]+charset\s*=\s*["']?([\w-]+)/i)?.[1];
  try { return new TextDecoder(encoding).decode(bytes); }
  catch { return new TextDecoder().decode(bytes); } // there is no such encoding
}

let isAsking = false;

async function ask(event) {
  event.preventDefault();
  if (isAsking) return;
  isAsking = true;
  const { question, time, task, system, preset, files, html } = form.elements;
  const problem = document.getElementById("problem");
  problem.replaceChildren();
  try {
    const read = async (file) => ({ name: file.name, html: await readHtml(file) });
    const pages = await Promise.all([...files.files].map(read));
    if (html.value.trim()) pages.push({ name: "pasted page", html: html.value });
    const rowPages = [...form.querySelectorAll("[name=row_page]:checked")].map((box) => Number(box.value));
    const { id } = await call("api/ask", {
      question: question.value, time: time.value, task: task.value ? Number(task.value) : null,
      system: system.value, preset: preset.value, row: chosenRow, row_pages: rowPages, pages,
    });
    scrolledTo = scrollY;
    location.hash = address({ inquiry: id, q: "", step: "" });
  } catch (error) {
    problem.replaceChildren(failed(error));
    problem.scrollIntoView({ block: "nearest" });
  }
  isAsking = false;
}

/** Keep the question with its right answer as a case of a dataset. */
function keepForm() {
  const result = el("div", {});
  const answer = el("input", { name: "right", value: inquiry.golds[0] ?? "", required: "" });
  const domain = el("select", { name: "domain" },
    ["unknown", ...data.domains].map((name) => option(name, name, name === inquiry.domain)));
  return el("div", { class: "editor keep" },
    el("div", { class: "row" }, field("right answer", answer), field("domain", domain)),
    runner("Keep as case", result, async () => {
      const right = { answer: answer.value, domain: domain.value };
      const { command } = await call(`api/inquiries/${inquiry.id}/case`, right);
      return el("p", { class: "note", role: "status" }, "Kept. ", el("code", {}, command));
    }), result);
}

const INPUTS = "textarea, input, select";

/** What was typed into an input or chosen in it, as a node. */
function typedIn(input) {
  if (input.type === "checkbox") return el("span", {}, input.checked ? "☑" : "☐");
  if (input.tagName === "TEXTAREA") return el("pre", {}, input.value);
  return el("span", {}, input.selectedOptions?.[0].text ?? input.value);
}

/** Save what is shown as one file without scripts. */
async function exportPage() {
  const style = await (await fetch("playground.css")).text();
  const page = document.getElementById("inquiry");
  const shown = page.cloneNode(true);
  const inputs = page.querySelectorAll(INPUTS); // a clone has not what was typed
  shown.querySelectorAll(INPUTS).forEach((input, i) => input.replaceWith(typedIn(inputs[i])));
  shown.querySelectorAll("button, .keep, .completion, .actions, #own-program:not(:has(.made)), #readings:not(:has(li))")
    .forEach((node) => node.remove());
  shown.querySelectorAll("a[href^='#']").forEach((link) => link.replaceWith(...link.childNodes));
  shown.querySelectorAll("details").forEach((node) => node.setAttribute("open", ""));
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const text = `<!doctype html><html lang="en"><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `${el("title", {}, inquiry.question).outerHTML}<style>${style}</style>` +
    `<body><main>${shown.outerHTML}</main></body></html>`;
  const href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  el("a", { href, download: `question-${inquiry.id}.html` }).click();
  URL.revokeObjectURL(href);
}

const traceCache = new Map();

/** The traces of a question of the run, by its place in the list. */
async function tracesOf(place) {
  const question = data.questions[place];
  try {
    if (!traceCache.has(place)) traceCache.set(place, await call(`api/run/traces/${encodeURIComponent(question.id)}`));
  } catch (error) {
    document.getElementById("problem").replaceChildren(failed(error));
  }
  return [traceCache.get(place) ?? []];
}

/** Below a question of the run: its verdict by hand, and the form to ask it again. */
function below(question) {
  const result = el("div", {});
  const { label, verdict: judged } = question.runs[0];
  const current = label?.verdict ?? judged;
  const names = ["correct", "wrong", "missing"];
  if (!names.includes(current)) names.unshift(""); // an unscored answer is none of them
  const verdict = el("select", { name: "label" }, names.map((name) => option(name, name, name === current)));
  const note = el("input", { name: "note", value: label?.note ?? "" });
  return el("div", { class: "editor" }, el("div", { class: "row" }, field("my verdict", verdict), field("note", note)),
    el("p", { class: "actions" },
      runner("Save the verdict", result, async () => {
        const written = { id: question.id, verdict: verdict.value, note: note.value };
        question.runs[0].label = await call("api/run/labels", written);
        setUpQuestions(data.questions); // its filter may have another value
        showQuestions();
        await showDetail(); // with the verdict; draws this form anew
        document.querySelector("#detail .saved").textContent = "Saved in labels.jsonl of the run.";
        document.querySelector("#detail .editor button").focus();
        return [];
      }),
      runner("Ask again", result, async () => {
        fillIn(await call(`api/rows/${encodeURIComponent(question.id)}`));
        setState({ q: "" });
        form.requestSubmit();
        return [];
      })), el("p", { class: "note saved", role: "status" }),
    el("p", { class: "note" }, "Asked again: of the system in the form, with this playground's settings."), result);
}

let lastPlace = ""; // the question and its step that the page went to

function follow() {
  const { inquiry: id, step } = readState();
  const place = `${id} ${step}`;
  if (!id) leaveInquiry();
  else if (id !== inquiry?.id) followInquiry(id);
  else if (place !== lastPlace) scrollToStep();
  lastPlace = place;
  if (data.questions.length) {
    showQuestions();
    showDetail();
  }
}

setUpPage();
drawForm();
form.addEventListener("submit", ask);
if (data.questions.length) setUpQuestions(data.questions);
window.addEventListener("hashchange", follow);
follow();
document.documentElement.dataset.ready = "yes";
