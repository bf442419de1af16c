// What is said of a run as a whole, and of runs beside each other.

function reportOverview(questions) {
  const [{ traced }] = data.runs;
  const { metrics, curves, stages } = data.figures;
  const asked = Object.keys(metrics.usage).length > 0;
  return [
    headline(metrics),
    card("Score by domain and kind of question",
      "Each cell: score and number of questions. A cell opens its questions.", heatMap(questions),
      el("p", { class: "note wider" }, "The table scrolls sideways.")),
    el("div", { class: "columns" },
      riskCard(curves, traced),
      latencyCard(metrics, questions),
      card("Stages", traced
        ? "Time of the traced steps. A step that a batch takes together counts its whole time for each question."
        : "The run kept no traces.", stageTable(stages)),
      el("div", { class: "stacked" },
        card("Failures", metrics.failures.length ? null : "Nothing failed.", failureTable(metrics)),
        asked ? null : card("Tokens", "No model was asked."))),
    judgeCard(metrics, questions),
    asked ? tokenCard(metrics) : "",
    runCard(data),
  ];
}

function latencyCard(metrics, questions) {
  const what = metrics.timed_each ? "From a batch's start to an answer" : "A batch's time over its size";
  const note = `${what}: median ${seconds(metrics.seconds_p50)}, 95th percentile ${seconds(metrics.seconds_p95)}, ` +
    `longest ${seconds(metrics.seconds_max)}. ${plural(metrics.over_time, "question")} over the contest's limit: ` +
    "a batch of more than 30 s for each of its questions.";
  const times = questions.map((question) => question.runs[0].seconds);
  return card("Latency", note, latencyChart(times, !metrics.timed_each));
}

function headline(metrics) {
  const { total, wrong, correct, missing, unscored } = metrics;
  const counts = { correct, wrong, missing, unscored };
  const shown = VERDICTS.filter((verdict) => counts[verdict]);
  const tile = (name, value, note) => el("div", { class: "tile" },
    el("span", { class: "name" }, name), el("strong", {}, value), el("span", { class: "note" }, note));
  return el("article", { class: "card headline" },
    el("div", { class: "big" },
      el("span", { class: "name" }, "Score"),
      el("strong", {}, unscored < total ? percent(metrics.score) : "–"),
      el("span", { class: "note" }, unscored < total ? `95% interval ${range(metrics.score_ci95)}` : "none was scored")),
    el("div", { class: "tiles" },
      tile("Accuracy", percent(metrics.accuracy), range(metrics.accuracy_ci95)),
      tile("Hallucination", percent(metrics.hallucination), range(metrics.hallucination_ci95)),
      tile("Missing", percent(metrics.missing_rate), range(metrics.missing_ci95)),
      tile(metrics.timed_each ? "Time to an answer, median" : "Time, median", seconds(metrics.seconds_p50), `95th percentile: ${seconds(metrics.seconds_p95)}`)),
    el("div", { class: "verdicts" },
      stackedBar(shown.map((verdict) => [verdict, counts[verdict], verdict])),
      el("p", { class: "legend" }, shown.map((verdict) =>
        toQuestions({ verdict }, el("i", { class: verdict }), `${count(counts[verdict])} ${verdict}`)),
        el("span", { class: "note" }, `of ${plural(total, "question")}`)),
      metrics.lost
        ? el("p", { class: "warning" }, `${plural(metrics.lost, "question")} lost to a failure of the setup or of the whole batch; --resume asks again.`)
        : ""));
}

const FILTER_OF = { question_type: "type", static_or_dynamic: "dynamism" };

/** The values of a slice, the commonest first. */
function groups(questions, slice) {
  const sizes = new Map();
  for (const question of questions) sizes.set(question[slice], (sizes.get(question[slice]) ?? 0) + 1);
  return [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a));
}

function heatMap(questions) {
  const heads = [{ group: "all" }, ...Object.keys(FILTER_OF).flatMap((slice) =>
    groups(questions, slice).map((group, i) => ({ slice, group, first: i === 0 })))];
  const rows = ["all", ...groups(questions, "domain")];
  const cell = (row, { slice, group, first }) => {
    const members = questions.filter((question) =>
      (row === "all" || question.domain === row) && (!slice || question[slice] === group));
    const total = members.length;
    if (!total) return el("td", { class: first ? "first" : null });
    const score = scoreOf(members, 0);
    const filters = { domain: row === "all" ? "" : row, ...(slice && { [FILTER_OF[slice]]: group }) };
    const scored = members.some((question) => question.runs[0].verdict !== "unscored");
    const link = toQuestions(filters, el("b", {}, scored ? percent(score, 0) : "–"), el("small", {}, count(total)));
    link.title = `${row}, ${group}: ${scored ? `score ${percent(score)}` : "none scored"}, ${plural(total, "question")}`;
    link.className = score < 0 ? "bad" : score > 0 ? "good" : "even";
    link.style.setProperty("--heat", `${Math.round(6 + 44 * Math.abs(score))}%`);
    return el("td", { class: first ? "first" : null }, link);
  };
  return el("div", { class: "scroll" }, el("table", { class: "heat" },
    el("thead", {}, el("tr", {}, el("th", {}), heads.map(({ group, first }) =>
      el("th", { class: first ? "first" : null }, spaced(group))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", {}, spaced(row)), heads.map((head) => cell(row, head)))))));
}

function riskCard(curves, traced) {
  const names = Object.keys(curves);
  if (!names.length)
    return card("Risk and coverage", traced ? "No answer has a confidence." : "The run kept no traces.");
  const host = el("div");
  const show = (name) => {
    const curve = curves[name];
    const [threshold, coverage, risk, score] = curve.best;
    const rest = curve.answered - curve.with_confidence;
    host.replaceChildren(
      riskChart(curve),
      el("p", { class: "legend" },
        el("span", {}, el("i", { class: "score" }), "score"),
        el("span", {}, el("i", { class: "risk" }), "risk: wrong, of the answered")),
      el("p", { class: "best" }, "Best threshold ", el("b", {}, threshold.toPrecision(3)), ": score ", el("b", {}, percent(score)),
        ` (as run ${percent(curve.as_run[3])}), coverage ${percent(coverage)}, risk ${percent(risk)}.`),
      el("p", { class: "note" }, "Chosen on these questions, so an upper bound; calibrate on others." +
        (rest ? ` ${plural(rest, "answer")} of ${count(curve.answered)} without this figure always stand.` : "")));
  };
  const choice = el("select", { "aria-label": "Confidence", change: () => show(choice.value) },
    names.map((name) => el("option", { value: name }, spaced(name))));
  show(names[0]);
  return card("Risk and coverage", null, el("label", { class: "choice" }, "Confidence ", choice), host);
}

function stageTable(stages) {
  if (!stages.length) return null;
  const total = stages.reduce((sum, stage) => sum + stage.sum, 0) || 1;
  const style = (i) => `c${i % 8}`;
  return el("div", {},
    stackedBar(stages.map((stage, i) => [stage.name, stage.sum, style(i)])),
    table(["step", "calls", "mean", "share"], stages.map((stage, i) => [
      el("span", {}, el("i", { class: style(i) }), spaced(stage.name)),
      count(stage.calls), seconds(stage.mean), percent(stage.sum / total)])));
}

function failureTable({ failures }) {
  if (!failures.length) return null;
  return table(["what failed", "example", "times", "questions"], failures.map((row) => {
    const name = failureName(row);
    return [toQuestions({ failure: name }, name), el("span", { class: "clamp" }, row.example),
      count(row.times), count(row.questions)];
  }), 2);
}

function tokenCard({ usage, total }) {
  const rows = Object.entries(usage);
  const sum = (name) => rows.reduce((all, [, row]) => all + row[name], 0);
  const costs = sum("dollars") > 0; // the settings have prices
  const numbers = (get) => [...["calls", "prompt", "cached", "completion"].map((name) => count(get(name))),
    ...(costs ? [`$${get("dollars").toFixed(4)}`] : [])];
  const body = rows.map(([step, row]) =>
    [spaced(step), `${row.llm} ${row.adapter}`.trim(), ...numbers((name) => row[name])]);
  if (rows.length > 1) body.push([el("b", {}, "all"), "", ...numbers(sum)]);
  return card(costs ? "Tokens and cost" : "Tokens", costs ? `$${(sum("dollars") / total).toFixed(5)} a question.` : null,
    table(["step", "LLM, adapter", "calls", "read", "from cache", "written", ...(costs ? ["cost"] : [])], body, 2));
}

function judgeCard({ verdicts_by_rule, unscored, score_bounds }, questions) {
  const rules = Object.entries(verdicts_by_rule);
  const disputed = questions.filter((question) => question.runs[0].disputed);
  if (!rules.length && !unscored && !disputed.length) return "";
  const note = unscored
    ? `The score would be ${range(score_bounds)} if all ${count(unscored)} unscored answers were wrong, or right.` : null;
  return card("Judge", note,
    rules.length ? table(["rule", ...VERDICTS], rules.map(([rule, counts]) =>
      [rule, ...VERDICTS.map((verdict) => count(counts[verdict] ?? 0))])) : "",
    disputed.length ? el("details", { open: "" }, el("summary", {}, `Judges disagreed on ${plural(disputed.length, "answer")}`),
      table(["question", "answer", "verdicts"], disputed.map(({ query, runs: [{ answer, reason }] }) =>
        [query, answer, reason]), 3)) : "");
}

function runCard({ about, settings, notes }) {
  const list = (values) => el("dl", {}, Object.entries(values).map(([name, value]) =>
    el("div", {}, el("dt", {}, spaced(name)), el("dd", {}, String(value)))));
  return card("Run", null, list(about), el("details", {}, el("summary", {}, "Settings"), list(settings)),
    list(Object.fromEntries(Object.entries(notes).filter(([, times]) => times))));
}

function compareOverview({ runs, pairs, figures, missing, differing }) {
  const labels = runs.map((run) => run.label);
  const left = Object.entries(missing).map(([run, ids]) =>
    el("p", { class: "note" }, `Left out, missing from ${run}: ${ids.length} (${ids.slice(0, 10).join(", ")}${ids.length > 10 ? ", …" : ""})`));
  return [
    card("Runs", null, el("ul", { class: "runs" }, runs.map((run) => el("li", {}, badge("run", run.label), run.name))),
      table(["", ...labels], figures), left),
    ...pairs.map((pair) => pairCard(pair)),
    Object.keys(differing).length
      ? card("Settings that differ", null, table(["setting", ...labels],
        Object.entries(differing).map(([name, values]) => [spaced(name), ...values]), 1 + labels.length))
      : null,
  ].filter(Boolean);
}

function pairCard(pair) {
  const groups = Object.values(pair.slices).flatMap(Object.entries);
  const most = Math.max(0.01, ...[["all", pair.overall], ...groups].map(([, score]) => Math.max(...score.ci95.map(Math.abs))));
  const { difference, ci95, p_value: p } = pair.overall;
  const row = ([group, score]) => [spaced(group), count(score.questions), percent(score.before), percent(score.after),
    points(score.difference), intervalBar(score.difference, score.ci95, most), range(score.ci95, points),
    count(score.lost), count(score.gained), probability(score.p_value)];
  const body = table(["", "n", pair.before, pair.after, "difference", "", "95% interval", "lost", "gained", "p"],
    [row(["all", pair.overall]), ...Object.entries(pair.slices).flatMap(([slice, scores]) =>
      [[el("b", {}, spaced(slice))], ...Object.entries(scores).map(row)])]);
  return card(`${pair.after} against ${pair.before}`,
    `Score ${points(difference)} (95% ${range(ci95, points)}); McNemar's test p ${p < 0.001 ? "" : "= "}${probability(p)}. ` +
    `Lost and gained: questions that only ${pair.before} or only ${pair.after} has right.`,
    el("p", { class: "legend" }, Object.entries(pair.changes).map(([change, ids]) =>
      toQuestions({ change: `${pair.after}: ${change}` }, badge(changeStyle(change), `${count(ids.length)} ${change}`)))),
    body);
}

const changeStyle = (change) => ({ "newly wrong": "wrong", "newly right": "correct", "newly missing": "missing",
  "newly unscored": "unscored" })[change] ?? "none";
