// What can be changed and run again; the result stands beside the first one.

/** A button that runs `work`, whose nodes, or whose error, `target` shows. */
function runner(text, target, work) {
  const button = el("button", { type: "button", click: async () => {
    button.disabled = true;
    try { target.replaceChildren(...[await work()].flat()); }
    catch (error) { target.replaceChildren(failed(error)); }
    target.scrollIntoView({ block: "nearest" });
    button.disabled = false;
    if (document.activeElement === document.body) button.focus(); // which a disabled button loses
  } }, text);
  return button;
}

const field = (title, input) => el("label", {}, title, input);

function promptEditor(number, prompt, before) {
  const result = el("div", { class: "result" });
  const turns = prompt.turns.map(([role, text]) => {
    const area = el("textarea", { rows: Math.min(16, 2 + text.length / 90), "aria-label": role });
    area.value = text;
    return [role, area];
  });
  const choice = el("select", { name: "adapter" }, ["", ...data.adapters].map((name) =>
    option(name, name || "none: the base", name === (prompt.adapter ?? ""))));
  const number_ = (value, attributes) => el("input", { type: "number", value, ...attributes });
  const temperature = number_(prompt.temperature, { min: 0, max: 2, step: 0.1 });
  const tokens = number_(prompt.max_tokens, { min: 1, max: 2048 });
  const samples = number_(prompt.samples, { min: 1, max: 16 });
  const run = () => call(`api/inquiries/${inquiry.id}/steps/${number}`, {
    turns: turns.map(([role, area]) => [role, area.value]), adapter: choice.value || null,
    temperature: Number(temperature.value), max_tokens: Number(tokens.value), samples: Number(samples.value),
  }).then((step) => beside(before, step.output, `${seconds(step.seconds)}, ${count(step.tokens)} tokens`));
  return el("div", {}, el("div", { class: "editor" }, turns.map(([role, area]) => field(role, area)),
    el("div", { class: "row" }, field("adapter", choice), field("temperature", temperature),
      field("most tokens", tokens), field("samples", samples)),
    prompt.constraint ? el("p", { class: "note" }, `The ${prompt.constraint} that constrains the reply stays.`) : null,
    runner("Run again", result, run)), result);
}

function programEditor(program, before) {
  const result = el("div", { class: "result" });
  const rows = 2 + program.split("\n").length;
  const area = el("textarea", { rows, spellcheck: "false", "aria-label": "program", class: "code" });
  area.value = program;
  const run = async () => {
    const { problem, errors, repairs, plan, output, seconds: duration } =
      await call(`api/inquiries/${inquiry.id}/program`, { program: area.value });
    if (problem) {
      area.focus();
      const offset = Array.from(area.value).slice(0, problem.offset).join("").length; // in units of UTF-16
      area.setSelectionRange(offset, offset + 1);
    }
    return [
      problem ? el("pre", { class: "problem", role: "alert" }, problem.text) : null,
      errors.map((error) => failed(error)),
      repairs.map((repair) => el("p", { class: "note" }, `Repaired: ${repair}`)),
      plan ? el("details", {}, el("summary", {}, "Plan"), el("pre", {}, plan)) : null,
      output ? beside(before, output, seconds(duration)) : null,
    ].flat().filter(Boolean);
  };
  const button = runner("Run again", result, run);
  if (program) button.click(); // its plan, repairs and sentences
  const hint = el("p", { class: "note" }, "Functions and keys are offered as you type: ↑ ↓ choose, Tab takes one.");
  return el("div", {}, el("div", { class: "editor" }, field("program", area), completion(area), hint, button), result);
}

/** Let the step that read the passages read the chosen ones. */
async function readAgain(numbers) {
  const again = await call(`api/inquiries/${inquiry.id}/passages`, { passages: numbers });
  return [beside(again.before, again.output, seconds(again.seconds)), el("p", { class: "note" }, again.refused)];
}

/** Two outputs side by side, differences marked; the second alone if there is no first one. */
function beside(before, after, facts) {
  const [left, right] = before === null ? ["", [after]] : differences(before, after);
  return el("div", { class: "beside" },
    before === null ? null : el("div", {}, el("h4", {}, "first"), el("pre", {}, left)),
    el("div", {}, el("h4", {}, "changed ", el("small", {}, before === after ? `${facts}, the same` : facts)),
      el("pre", { class: "made" }, right)));
}

/** The words of two texts as nodes: those of the first alone in <del>, of the second in <ins>. */
function differences(before, after) {
  const [a, b] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}_]+|./gsu) ?? []);
  if (a.length * b.length > 4e6) return [[before], [after]];
  // length[i][j]: of the longest common part of a from i on and b from j on
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const [left, right] = [[], []];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { left.push(a[i++]); right.push(b[j++]); }
    else if (j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1])) left.push(el("del", {}, a[i++]));
    else right.push(el("ins", {}, b[j++]));
  }
  return [left, right];
}

let lists = 0; // of completions, which numbers their ids

/** A list of the functions and keys that may stand at the cursor: arrows choose, Tab takes one. */
function completion(area) {
  const id = `completion-${lists++}`;
  const list = el("ul", { class: "completion", role: "listbox", id, hidden: "" });
  let place = 0; // of the name that Tab takes
  const offer = () => {
    const [before, after] = [area.value.slice(0, area.selectionStart), area.value.slice(area.selectionStart)];
    return /^\w/.test(after) ? ["", []] : namesAt(before); // within a word there is nothing to complete
  };
  const draw = () => {
    const [word, names] = offer();
    place = Math.min(place, names.length - 1);
    list.hidden = !names.length;
    list.replaceChildren(...names.map((name, i) => el("li", {
      role: "option",
      "aria-selected": String(i === place),
      mousedown: (event) => { event.preventDefault(); take(name, word); },
    }, name)));
  };
  const take = (name, word) => {
    area.setRangeText(name.slice(word.length), area.selectionStart, area.selectionStart, "end");
    list.hidden = true;
  };
  area.setAttribute("aria-controls", id);
  area.addEventListener("input", () => { place = 0; draw(); });
  for (const event of ["blur", "click"]) area.addEventListener(event, () => { list.hidden = true; });
  area.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "Escape") list.hidden = true;
    else if (event.key === "Tab") {
      const [word, names] = offer();
      take(names[Math.max(place, 0)], word);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      place = (place + (event.key === "ArrowDown" ? 1 : -1) + list.childElementCount) % list.childElementCount;
      draw();
    } else {
      if (/^(Arrow|Home|End|Page)/.test(event.key)) list.hidden = true; // the cursor leaves the word
      return;
    }
    event.preventDefault();
  });
  return list;
}

/** The beginning of a name before the cursor, and up to eight names that begin so. */
function namesAt(text) {
  const inKey = text.match(/\[\s*"(\w*)$/);
  if (inKey) return begunBy(inKey[1], data.language[calledBefore(text.slice(0, inKey.index))] ?? []);
  const isInText = (text.match(/"/g) ?? []).length % 2 === 1;
  const word = text.match(/(?:^|[\s(=,])([a-z]\w*)$/)?.[1];
  return isInText || !word ? ["", []] : begunBy(word, Object.keys(data.language));
}

const begunBy = (word, names) => [word, names.filter((name) => name.startsWith(word) && name !== word).slice(0, 8)];

/** The function whose call ends the text: what stands before the bracket that the last one closes. */
function calledBefore(text) {
  let open = 0;
  for (let i = text.trimEnd().length - 1; i >= 0; i--) {
    if (text[i] === ")") open++;
    else if (text[i] === "(" && --open === 0) return text.slice(0, i).match(/(\w+)$/)?.[1];
  }
  return undefined;
}
