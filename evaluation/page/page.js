// What all parts of the page share: elements, numbers, packed data, and the state in the address.
// Texts from the data reach the page as text nodes only.

const SVG = "http://www.w3.org/2000/svg";
const VERDICTS = ["correct", "wrong", "missing", "unscored"];
const data = JSON.parse(document.getElementById("data").textContent);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** A share as the terminal shows it: of two nearest figures, the even one ("6.2%" for 0.0625). */
function percent(value, digits = 1) {
  const scaled = 100 * Math.abs(value);
  const half = 0.5 / 10 ** digits;
  const lower = (scaled - half).toFixed(digits);
  const isExact = Number.isInteger(4 * scaled); // as a tie is, with binary fractions
  const isTie = isExact && Number(lower) + half === scaled && Number(lower.at(-1)) % 2 === 0;
  const figure = isTie ? lower : scaled.toFixed(digits);
  return `${value < 0 && Number(figure) ? "−" : ""}${figure}%`;
}
const points = (value) => (value > 0 ? "+" : "") + percent(value);
const count = (value) => Math.round(value).toLocaleString("en-US");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const range = ([low, high], text = percent) => `${text(low)} to ${text(high)}`;
const spaced = (name) => data.group_names[name] ?? name.replaceAll("_", " ");

function seconds(value) {
  if (value >= 100) return `${count(value)} s`;
  if (value >= 1) return `${Number(value.toPrecision(3))} s`;
  return value >= 0.001 ? `${count(1000 * value)} ms` : value > 0 ? "< 1 ms" : "0 s";
}

const probability = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));

const badge = (verdict, text = verdict) => el("span", { class: `badge ${verdict}` }, text);

/** The score of a run, by its number, on some questions. */
function scoreOf(questions, run) {
  const tally = (verdict) => questions.filter((question) => question.runs[run].verdict === verdict).length;
  return (tally("correct") - tally("wrong")) / questions.length;
}

/** A card of the overview. */
function card(title, note, ...content) {
  return el("article", { class: "card" }, el("h2", {}, title),
    note ? el("p", { class: "note" }, note) : null, ...content);
}

/** A table; cells are texts or nodes, those after the first `left` columns are set to the right. */
function table(titles, rows, left = 1) {
  const cells = (tag, row) =>
    row.map((cell, i) => el(tag, { class: i < left ? null : "number" }, cell));
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, cells("th", titles))),
    el("tbody", {}, rows.map((row) => el("tr", {}, cells("td", row))))));
}

/** The JSON value in a packed block. */
async function unpack(name) {
  const bytes = Uint8Array.from(atob(document.getElementById(`packed-${name}`).textContent), (sign) =>
    sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// The address after "#" holds the state: filters, order, page, and the open question `q`.
const readState = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function address(changes, state = readState()) {
  const kept = Object.entries({ ...state, ...changes }).filter(([, value]) => value);
  return `#${new URLSearchParams(kept)}`;
}

/** Change the state without a step in the browser's history. */
function setState(changes) {
  history.replaceState(null, "", address(changes));
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** A link to the questions of a filter. */
const toQuestions = (filters, ...content) =>
  el("a", {
    href: address(filters, {}),
    click: () => document.getElementById("questions").scrollIntoView(),
  }, ...content);

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  try {
    if (theme) localStorage.setItem("theme", theme);
    else document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";
  } catch { /* a file may have no storage: then the choice lasts as long as the page */ }
}

/** Give the page its title, its theme and the behaviour of the dialog. */
function setUpPage() {
  setTheme("");
  document.getElementById("theme").addEventListener("click", switchTheme);
  document.getElementById("title").textContent = data.title;
  const dialog = document.getElementById("detail");
  dialog.addEventListener("close", closeDetail);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside it
}

function switchTheme() {
  const chosen = document.documentElement.dataset.theme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark ? "light" : "dark");
}
