// Charts as inline SVG, drawn anew in the width that their card has.

const FONT = 12;

/** An element that holds what `draw(width)` returns. */
function chart(label, draw) {
  const host = el("div", { class: "chart", role: "img", "aria-label": label });
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(host.clientWidth);
    if (width && width !== drawn) host.replaceChildren(draw((drawn = width)));
  }).observe(host);
  return host;
}

const label = (x, y, text, attributes = {}) => svg("text", { x, y, ...attributes }, text);
const line = (x1, y1, x2, y2, style) => svg("line", { x1, y1, x2, y2, class: style });

/** A drawing area with room for its axes, and horizontal lines at the `ticks` of `y`. */
function area(width, height, left, ticks, y, text) {
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` },
    ticks.map((tick) => [
      line(left, y(tick), width, y(tick), tick === 0 ? "axis" : "grid"),
      label(left - 8, y(tick) + 4, text(tick), { "text-anchor": "end" }),
    ]));
}

/** At most six ticks of a round step that cover `low` to `high`. */
function ticksOver(low, high) {
  const power = 10 ** Math.floor(Math.log10((high - low) / 5));
  const step = power * [1, 2, 5, 10].find((times) => (high - low) / (power * times) <= 4.5);
  const found = [];
  for (let i = Math.floor(low / step + 1e-9); (i - 1) * step < high - 1e-9; i++) found.push(i * step);
  return found;
}

/** Risk and score by coverage, with the best threshold. */
function riskChart(curve) {
  return chart("risk and score by coverage", (width) => {
    const [height, left, bottom, top] = [250, 44, 40, 14];
    const values = curve.points.flatMap(([, , risk, score]) => [risk, score]);
    const ticks = ticksOver(Math.min(0, ...values), Math.max(0.1, ...values));
    const [low, high] = [ticks[0], ticks.at(-1)];
    const x = (value) => left + value * (width - left - 18);
    const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
    const path = (column) =>
      curve.points.map((p, i) => `${i ? "L" : "M"}${x(p[1]).toFixed(1)},${y(p[column]).toFixed(1)}`).join("");
    const [threshold, coverage, , score] = curve.best;
    const drawn = area(width, height, left, ticks, y, (tick) => percent(tick, 0));
    return fill(drawn, {}, [
      [0, 0.25, 0.5, 0.75, 1].map((tick) => label(x(tick), height - 22, percent(tick, 0), { "text-anchor": "middle" })),
      label((left + width) / 2, height - 4, "coverage: answered, of all questions", { "text-anchor": "middle" }),
      line(x(coverage), y(high), x(coverage), y(low), "best"),
      svg("path", { d: path(2), class: "line risk" }),
      svg("path", { d: path(3), class: "line score" }),
      curve.points.map((p) => svg("circle", { cx: x(p[1]), cy: y(p[3]), r: 6, class: "hover" },
        svg("title", {}, `threshold ${p[0].toPrecision(3)}: coverage ${percent(p[1])}, risk ${percent(p[2])}, score ${percent(p[3])}`))),
      svg("circle", { cx: x(coverage), cy: y(score), r: 4.5, class: "score dot" },
        svg("title", {}, `threshold ${threshold.toPrecision(3)}: score ${percent(score)}`)),
    ]);
  });
}

const LIMIT = 30; // seconds a question: the contest's limit
const BINS = 5; // a power of ten

/** A histogram of seconds on a logarithmic scale, with the contest's limit if `limited`. */
function latencyChart(values, limited) {
  const bin = (value) => Math.floor(BINS * Math.log10(Math.max(value, 0.001) / LIMIT));
  const bins = (limited ? [...values, LIMIT] : values).map(bin);
  const lowest = Math.min(...bins);
  const counts = Array(Math.max(...bins) - lowest + 1).fill(0);
  for (const value of values) counts[bin(value) - lowest]++;
  const edges = [...counts, 0].map((_, i) => LIMIT * 10 ** ((lowest + i) / BINS));
  return chart("questions by seconds", (width) => {
    const [height, left, bottom, top] = [310, 44, 40, 14];
    const ticks = ticksOver(0, Math.max(4, ...counts));
    const most = ticks.at(-1);
    const [from, to] = [Math.log(edges[0]), Math.log(edges.at(-1))];
    const x = (value) => left + ((Math.log(value) - from) / (to - from)) * (width - left - 12);
    const y = (value) => top + (1 - value / most) * (height - top - bottom);
    const marks = [0.001, 0.01, 0.1, 1, 10, 100, 1000].filter((s) => s >= edges[0] && s <= edges.at(-1));
    return fill(area(width, height, left, ticks, y, count), {}, [
      counts.map((number, i) => svg("rect", {
        class: limited && edges[i] >= LIMIT * 0.99 ? "bar late" : "bar",
        x: x(edges[i]) + 1, width: Math.max(1, x(edges[i + 1]) - x(edges[i]) - 2),
        y: y(number), height: y(0) - y(number), rx: 2,
      }, svg("title", {}, `${seconds(edges[i])} to ${seconds(edges[i + 1])}: ${plural(number, "question")}`))),
      marks.map((mark) => label(x(mark), height - 22, seconds(mark), { "text-anchor": "middle" })),
      label((left + width) / 2, height - 4, limited ? "seconds a question" : "seconds to an answer",
        { "text-anchor": "middle" }),
      limited ? [
        line(x(LIMIT), top, x(LIMIT), y(0), "limit"),
        label(x(LIMIT) - 6, top + FONT, `limit ${seconds(LIMIT)}`, { "text-anchor": "end", class: "late" }),
      ] : [],
    ]);
  });
}

/** One bar of parts side by side; a part is [name, size, style, link]. */
function stackedBar(parts) {
  const total = parts.reduce((sum, [, size]) => sum + size, 0) || 1;
  return el("div", { class: "stack" }, parts.filter(([, size]) => size > 0).map(([name, size, style]) => {
    const part = el("span", { class: style, title: `${name}: ${percent(size / total)}` });
    part.style.flexGrow = size;
    return part;
  }));
}

/** A difference with its interval, on a scale from -most to most. */
function intervalBar(value, [low, high], most) {
  const x = (at) => 80 + (at / most) * 74;
  return svg("svg", { width: 160, height: 18, class: "interval" },
    line(80, 0, 80, 18, "axis"),
    line(x(low), 9, x(high), 9, "span"),
    svg("circle", { cx: x(value), cy: 9, r: 4, class: value < 0 ? "wrong" : "correct" }));
}
