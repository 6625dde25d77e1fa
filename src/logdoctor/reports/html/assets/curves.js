// Metrics over steps: panels that share what is shown of the run, and where the pointer is in it.

const CURVE_HEIGHT = 150;
const [CURVE_LEFT, CURVE_TOP, CURVE_BOTTOM] = [56, 14, CURVE_HEIGHT - AXIS]; // what the panels leave for their axes
const COLOURED = 8; // lines of a panel that have a colour of their own
const LEAST_SHOWN = 1e-4; // the smallest part of a run that is shown
const DRAGGED = 6; // pixels from which a drag is none by chance

// What panels share: the part of the run that is shown, the place of the cursor (both from 0 to 1), and how values are scaled.
class Overview {
  constructor(panels) {
    this.panels = panels;
    const steps = panels.flatMap((panel) => panel.series).filter((each) => each.has_steps && each.steps.length);
    this.low = steps.reduce((low, each) => Math.min(low, each.least), Infinity);
    this.high = steps.reduce((high, each) => Math.max(high, each.greatest), -Infinity);
    [this.from, this.to, this.at, this.isLog] = [0, 1, null, false];
    this.seen = new Set(); // panels that are on the screen; the others follow when they come
    this.waiting = false;
    this.eyes = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
      if (!isIntersecting) this.seen.delete(target);
      else if (this.seen.add(target) && target.drawnFor !== this.look) target.redraw();
      if (isIntersecting) target.point?.();
    }), { rootMargin: "200px" });
  }

  // What is shown, and how.
  get look() {
    return `${this.from} ${this.to} ${this.isLog}`;
  }

  // Shows another part: in the middle of it, what was asked for.
  zoom(middle, width) {
    const size = Math.min(1, Math.max(LEAST_SHOWN, width));
    this.from = Math.max(0, Math.min(1 - size, middle - size / 2));
    this.to = this.from + size;
    this.update();
  }

  scaleBy(factor) {
    this.zoom(this.at ?? (this.from + this.to) / 2, (this.to - this.from) * factor);
  }

  point(at) {
    this.at = at;
    if (at !== null && (at < this.from || at > this.to)) this.zoom(at, this.to - this.from);
    this.update();
  }

  // Has the panels follow, once before the next frame.
  update() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const box of this.seen) {
        if (box.drawnFor !== this.look) box.redraw();
        box.point?.();
      }
    });
  }
}

// Steps of a series as parts of its run, and their range; made once.
function prepared(series, low, high) {
  const [first, last] = series.has_steps ? [low, high] : [1, Math.max(2, series.count)];
  series.place = (step) => (last > first ? (step - first) / (last - first) : 0.5);
  series.places = series.steps.map(series.place);
  series.isAscending = series.places.every((place, i) => i === 0 || place >= series.places[i - 1]);
  series.numbers = series.values.map((value) => (typeof value === "number" ? value : NaN));
  return series;
}

// Which value of a series is nearest to a place.
function nearest({ places, isAscending }, at) {
  if (!isAscending) return places.reduce((best, place, i) => (Math.abs(place - at) < Math.abs(places[best] - at) ? i : best), 0);
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - places[low - 1] < places[low] - at ? low - 1 : low;
}

// The section; null where the run prints no metrics.
function curves({ panels, marks, left }, level = 2) {
  if (!panels.length) return null;
  for (const series of panels.flatMap((panel) => panel.series)) {
    series.least = series.steps.reduce((least, each) => Math.min(least, each), Infinity);
    series.greatest = series.steps.reduce((most, each) => Math.max(most, each), -Infinity);
  }
  const overview = new Overview(panels);
  for (const series of panels.flatMap((panel) => panel.series)) prepared(series, overview.low, overview.high);
  const first = panels.filter((each) => each.common);
  const others = panels.filter((each) => !each.common);
  const drawn = (some) => element("div", { class: "panels" }, some.map((panel) => curvePanel(panel, marks, overview, level + 1)));
  const [shown, folded] = first.length ? [first, others] : [others.slice(0, 12), others.slice(12)];
  return element("section", { class: "card curves" }, element(`h${level}`, {}, say("CURVES")), element("p", { class: "dim" }, say("CURVES_HINT")),
    toolbar(overview), marks.length > 0 && markList(marks, panels, overview), drawn(shown),
    folded.length > 0 && fold(say("MORE_METRICS", { count: number(folded.length) }), () => drawn(folded)),
    left > 0 && element("p", { class: "dim" }, say("METRICS_LEFT", { count: number(left) })));
}

function toolbar(overview) {
  const button = (name, click) => element("button", { type: "button", click }, say(name));
  const scaled = element("button", { type: "button", "aria-pressed": "false", click: () => {
    overview.isLog = !overview.isLog;
    scaled.setAttribute("aria-pressed", overview.isLog);
    overview.update();
  } }, say("LOG_SCALE"));
  return element("div", { class: "tools", role: "group", "aria-label": say("CURVES") }, button("ZOOM_IN", () => overview.scaleBy(0.5)), button("ZOOM_OUT", () => overview.scaleBy(2)),
    button("WHOLE_RUN", () => overview.zoom(0.5, 1)), scaled);
}

const MARK_SIGNS = { onset: "▼", error: "✖", restart: "↻", part: "◆" };

// What is marked in the panels; each leads to its place.
function markList(marks, panels, overview) {
  const placed = marks.map((each, i) => {
    const series = panels.flatMap((panel) => panel.series).find((one) => one.marks[i] !== null && one.marks[i] !== undefined);
    return series && [each, () => overview.point(series.place(series.marks[i]))];
  }).filter(Boolean);
  const item = ([each, click]) => element("li", { class: each.kind }, element("span", { "aria-hidden": "true" }, MARK_SIGNS[each.kind]),
    element("button", { type: "button", class: "as-link", click }, `${shortened(pick(each.title) ?? say(each.kind === "restart" ? "RESTARTED" : "PARTED"), 160)}${each.step === null ? "" : ` · ${say("AT_STEP_NUMBER", { step: number(each.step) })}`}`));
  return inParts(placed, (some) => element("ul", { class: "marks" }, some.map(item)), 6);
}

function seriesClass(series, i) {
  if (series.is_bad !== undefined) return series.is_bad ? "line-bad" : "line-good";
  return i < COLOURED ? `line-${i}` : "line-other";
}

// What the colours of many runs mean.
function verdictsOf(panel) {
  const count = (isBad) => panel.series.filter((each) => each.is_bad === isBad).length;
  return [["BAD_RUNS", "series-bad", count(true)], ["GOOD_RUNS", "series-good", count(false)]].filter(([, , runs]) => runs)
    .map(([name, className, runs]) => [`${say(name)} (${number(runs)})`, className]);
}

// One metric: its name, the values under the pointer, its curves, and their table.
function curvePanel(panel, marks, overview, level) {
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const title = panel.common ? named("metric", panel.common) : panel.metric;
  const box = chart(CURVE_HEIGHT, { class: "curve", tabindex: "0", role: "slider", "aria-label": say("CURVE_LABEL", { name: title }), "aria-valuemin": "0", "aria-valuemax": "100",
    keydown: (event) => curveKey(event, panel, overview) }, (width, self) => drawnCurve(panel, marks, overview, width, self, readout));
  overview.eyes.observe(box);
  follow(box, overview);
  const names = panel.series.length > 1 && legend(panel.series[0].is_bad !== undefined ? verdictsOf(panel) : panel.series.slice(0, COLOURED).map((each, i) => [shortened(each.name ?? each.source, 60), seriesClass(each, i).replace("line-", "series-")]));
  const cut = panel.series.reduce((sum, each) => sum + each.count - each.steps.length, 0);
  const rows = () => tableRows(panel, overview);
  return element("figure", { class: "panel" }, element("figcaption", {}, element(`h${level}`, {}, title), title !== panel.metric && element("code", {}, panel.metric)), readout, box, names,
    fold(say("AS_TABLE"), () => [cut > 0 && element("p", { class: "dim" }, say("THINNED", { shown: number(panel.series.reduce((sum, each) => sum + each.steps.length, 0)), count: number(panel.series.reduce((sum, each) => sum + each.count, 0)) })),
      ...inParts(rows(), (some) => table(title, [say(panel.series[0].has_steps ? "STEP" : "VALUE_NUMBER"), ...panel.series.map((each) => shortened(each.name ?? panel.metric, 40))], some, { class: "numbers" }))].filter(Boolean)));
}

function tableRows(panel, overview) {
  const rows = new Map();
  panel.series.forEach((series, column) => series.steps.forEach((step, i) => {
    if (series.places[i] < overview.from || series.places[i] > overview.to) return;
    if (!rows.has(step)) rows.set(step, [number(step), ...panel.series.map(() => "")]);
    rows.get(step)[column + 1] = shown(series.values[i]);
  }));
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
}

function shown(value) {
  return typeof value === "number" ? short(value) : value;
}

// Moving shows values, dragging shows that part, a double click all.
function follow(box, overview) {
  let begun = null;
  const placeAt = (event) => {
    const around = box.getBoundingClientRect();
    const part = (event.clientX - around.left - CURVE_LEFT) / Math.max(1, around.width - CURVE_LEFT - 8);
    return overview.from + Math.max(0, Math.min(1, part)) * (overview.to - overview.from);
  };
  box.addEventListener("pointerdown", (event) => { begun = [event.clientX, placeAt(event)]; });
  box.addEventListener("pointermove", (event) => {
    overview.point(placeAt(event));
    if (begun) box.select?.(begun[1], placeAt(event));
  });
  box.addEventListener("pointerup", (event) => {
    const drag = begun;
    begun = null;
    box.select?.(0, 0);
    if (drag && Math.abs(event.clientX - drag[0]) >= DRAGGED) overview.zoom((drag[1] + placeAt(event)) / 2, Math.abs(placeAt(event) - drag[1]));
  });
  box.addEventListener("pointerleave", () => {
    begun = null;
    box.select?.(0, 0);
    if (document.activeElement !== box) overview.point(null);
  });
  box.addEventListener("dblclick", () => overview.zoom(0.5, 1));
}

function curveKey(event, panel, overview) {
  const longest = panel.series.reduce((most, each) => (each.steps.length > most.steps.length ? each : most));
  const now = nearest(longest, overview.at ?? overview.from);
  const go = (by) => overview.point(longest.places[Math.max(0, Math.min(longest.places.length - 1, overview.at === null && by > 0 ? now : now + by))]);
  const done = {
    ArrowRight: () => go(1), ArrowLeft: () => go(-1), ArrowUp: () => go(1), ArrowDown: () => go(-1), PageUp: () => go(20), PageDown: () => go(-20),
    Home: () => overview.point(overview.from), End: () => overview.point(overview.to),
    "+": () => overview.scaleBy(0.5), "=": () => overview.scaleBy(0.5), "-": () => overview.scaleBy(2), 0: () => overview.zoom(0.5, 1), Escape: () => overview.zoom(0.5, 1),
  }[event.key];
  if (!done || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  done();
}

// The range of values that are shown; that of an even curve has room around it.
function valueRange(panel, overview, isLog) {
  let [low, high] = [Infinity, -Infinity];
  for (const { places, numbers } of panel.series) {
    for (let i = 0; i < places.length; i += 1) {
      if (places[i] < overview.from || places[i] > overview.to || !Number.isFinite(numbers[i])) continue;
      low = Math.min(low, numbers[i]);
      high = Math.max(high, numbers[i]);
    }
  }
  if (low > high) return isLog ? [1, 10] : [0, 1];
  if (isLog) return [low / 1.1, high * 1.1];
  const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

function logTicks(low, high) {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const every = Math.max(1, Math.ceil((last - first + 1) / 4));
  return first > last ? [low, high] : Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)).filter((_, i) => i % every === 0);
}

function drawnCurve(panel, marks, overview, width, box, readout) {
  box.drawnFor = overview.look;
  const isLog = overview.isLog && panel.series.every((each) => each.numbers.every((value) => Number.isNaN(value) || value > 0));
  const [low, high] = valueRange(panel, overview, isLog);
  const right = width - 8;
  const inner = right - CURVE_LEFT;
  const x = scale(overview.from, overview.to, 0, inner);
  const linear = isLog ? scale(Math.log(low), Math.log(high), CURVE_BOTTOM, CURVE_TOP) : scale(low, high, CURVE_BOTTOM, CURVE_TOP);
  const y = isLog ? (value) => linear(Math.log(value)) : linear;
  const values = isLog ? logTicks(low, high) : ticks(low, high, 3);
  const [{ has_steps: hasSteps, count }] = panel.series;
  const [first, last] = hasSteps ? [overview.low, overview.high] : [1, Math.max(2, count)];
  const stepAt = (part) => first + part * (last - first);
  const place = (step) => (last > first ? (step - first) / (last - first) : 0.5);
  const steps = ticks(stepAt(overview.from), stepAt(overview.to), width / 110, true);
  const lines = panel.series.map((each, i) => curveShapes(each, x, y, seriesClass(each, i), overview));
  const marked = marks.map((each, i) => markShape(each, panel.series.map((one) => one.marks[i]).find((at) => at !== null && at !== undefined), (step) => x(place(step)), inner));
  const cursor = lineShape(0, 0, 0, CURVE_BOTTOM, "cursor");
  const dots = panel.series.map((each, i) => shape("circle", { r: 3.5, class: seriesClass(each, i).replace("line-", "series-"), visibility: "hidden" }));
  const chosen = shape("rect", { y: 0, height: CURVE_BOTTOM, width: 0, class: "chosen" });
  box.select = (from, to) => {
    chosen.setAttribute("x", Math.min(x(from), x(to)));
    chosen.setAttribute("width", Math.abs(x(to) - x(from)));
  };
  box.point = () => pointAt(panel, overview, { x, y, cursor, dots, readout, box, stepAt });
  const made = drawing(width, CURVE_HEIGHT, panel.metric, values.map((each) => [lineShape(CURVE_LEFT, y(each), right, y(each), "grid"), label(short(each), CURVE_LEFT - 6, y(each) + 4, "end")]),
    below(steps.map((each) => [number(each), CURVE_LEFT + x(place(each))]), CURVE_HEIGHT - 5, right),
    shape("svg", { x: CURVE_LEFT, y: 0, width: inner, height: CURVE_BOTTOM + 3, class: "inside-axes" }, marked, lines));
  box.point();
  // a layer of its own: what moves has nothing else drawn anew
  return [made, shape("svg", { width: inner, height: CURVE_BOTTOM + 3, class: "inside-axes above", "aria-hidden": "true" }, chosen, cursor, dots)];
}

// The line of a series, which breaks where steps go back; what is not finite stands at the edge.
function curveShapes({ places, numbers, values }, x, y, className, { from, to }) {
  const path = [];
  const odd = [];
  const first = Math.max(0, places.findIndex((place) => place >= from) - 1);
  let isOpen = false;
  for (let i = first; i < places.length; i += 1) {
    if (!Number.isFinite(numbers[i])) {
      if (places[i] >= from && places[i] <= to) odd.push(`M${x(places[i]).toFixed(1)},${CURVE_TOP - 9}v6`);
      isOpen = false;
      continue;
    }
    const goesOn = isOpen && places[i] >= places[i - 1];
    path.push(`${goesOn ? "L" : "M"}${x(places[i]).toFixed(1)},${y(numbers[i]).toFixed(1)}${goesOn ? "" : "h0"}`);
    isOpen = true;
    if (places[i] > to && places.length - i > 1 && places.at(-1) >= places[i]) break;
  }
  return [shape("path", { d: path.join(""), class: className }), odd.length > 0 && shape("path", { d: odd.join(""), class: "not-finite" }, shape("title", {}, String(values.find((each) => typeof each !== "number") ?? "NaN")))].filter(Boolean);
}

function markShape(each, at, x, inner) {
  if (at === null || at === undefined) return "";
  const place = x(at);
  if (place < -1 || place > inner + 1) return "";
  return shape("g", { class: `at-${each.kind}` }, lineShape(place, CURVE_TOP - 2, place, CURVE_BOTTOM), label(MARK_SIGNS[each.kind], place, 9, "middle", "sign"));
}

// Shows the values at the cursor.
function pointAt(panel, overview, { x, y, cursor, dots, readout, box, stepAt }) {
  const { at } = overview;
  cursor.setAttribute("visibility", at === null ? "hidden" : "visible");
  const told = [];
  let step = null;
  panel.series.forEach((series, i) => {
    const found = at === null || !series.places.length ? -1 : nearest(series, at);
    const isShown = found >= 0 && Number.isFinite(series.numbers[found]);
    dots[i].setAttribute("visibility", isShown ? "visible" : "hidden");
    if (found < 0) return;
    if (isShown) {
      dots[i].setAttribute("cx", x(series.places[found]));
      dots[i].setAttribute("cy", y(series.numbers[found]));
    }
    step ??= series.steps[found];
    if (series.is_bad === false && panel.series.some((each) => each.is_bad)) return; // those that one looks at
    if (told.length < COLOURED) told.push(panel.series.length > 1 ? `${shortened(series.name ?? series.source, 24)} ${shown(series.values[found])}` : shown(series.values[found]));
  });
  if (at !== null) for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(at));
  const text = at === null ? "" : `${say(panel.series[0].has_steps ? "AT_STEP_NUMBER" : "AT_VALUE", { step: number(step ?? Math.round(stepAt(at))) })}: ${told.join(" · ")}`;
  readout.textContent = text;
  box.setAttribute("aria-valuenow", Math.round(100 * (at ?? overview.from)));
  box.setAttribute("aria-valuetext", text || say("WHOLE_RUN"));
}
