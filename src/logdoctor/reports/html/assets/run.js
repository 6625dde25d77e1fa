// The page of one run.

function drawPage(page) {
  const answer = data.answer ? data[data.answer.in][data.answer.index] : null;
  const others = [...data.diagnoses, ...data.unknown_errors].filter((item) => item !== answer);
  const of = (...verdicts) => others.filter((item) => verdicts.includes(item.verdict));
  document.getElementById("subject").textContent = data.sources.length === 1 ? data.sources[0].name : say("SOURCES", { count: data.sources.length });
  page.append(...[
    answer ? answerCard(answer) : healthyCard(),
    timeline(answer),
    group("INDEPENDENT", of("independent", "root_cause")),
    group("FOLLOWED", of("consequence")),
    group("HARMLESS", of(...HARMLESS)),
    notSeen(),
    aboutRun(),
  ].filter(Boolean));
  document.getElementById("made-by").textContent = say("MADE_BY", data.tool);
  drawTimeline(answer);
}

function answerCard(item) {
  const kind = kindOf(item);
  return element("section", { class: `card answer ${kind}`, id: "answer", "aria-labelledby": "answer-title" },
    element("h1", { id: "answer-title" }, element("span", { class: "mark", "aria-hidden": "true" }, kind === "warning" ? "!" : "✖"), shortened(titleOf(item), 400)),
    chips(item.fingerprint ? [say("UNKNOWN_ERROR"), ...identity(item)] : identity(item), item.fingerprint ? [] : [severityChip(item)]),
    inFull(item, 2));
}

function healthyCard() {
  const readable = data.sources.filter((each) => each.problem === null || each.lines);
  const isRead = readable.length > 0 || data.sources.length === 0;
  const step = data.context.last_progress && data.context.last_progress.step;
  const lines = readable.reduce((sum, each) => sum + each.lines, 0);
  return element("section", { class: `card answer ${isRead ? "healthy" : "warning"}`, id: "answer", "aria-labelledby": "answer-title" },
    element("h1", { id: "answer-title" }, element("span", { class: "mark", "aria-hidden": "true" }, isRead ? "✔" : "?"), say(isRead ? "HEALTHY" : "NOTHING_READ")),
    isRead && chips([say("LINES_READ", { lines: number(lines) }), typeof step === "number" && say("LAST_STEP", { step: number(step) })].filter(Boolean)));
}

function group(name, items) {
  if (!items.length) return null;
  return element("section", { class: "card", "aria-label": say(name) }, element("h2", {}, say(name), element("span", { class: "count" }, number(items.length))), items.map(folded));
}

function notSeen() {
  if (!data.not_seen.length) return null;
  return element("section", { class: "card" }, element("h2", {}, say("NOT_SEEN")), element("ul", { class: "plain" }, data.not_seen.map((text) => element("li", {}, pick(text)))));
}

function aboutRun() {
  const { context } = data;
  const versions = Object.entries(context.versions).map(([name, version]) => `${name} ${version}`);
  const facts = [
    ["FRAMEWORKS", context.frameworks.join(", ")],
    ["VERSIONS", versions.join(", ")],
    ["PHASE_AT_END", context.last_phase && named("phase", context.last_phase)],
    ["STEP_AT_END", context.last_progress && context.last_progress.step !== null && number(context.last_progress.step)],
  ].filter(([, value]) => value);
  const sources = data.sources.map((each) => [element("code", {}, each.name), number(each.lines), bytes(each.bytes), each.problem || ""]);
  return element("section", { class: "card" }, element("h2", {}, say("ABOUT_RUN")),
    facts.length > 0 && element("dl", {}, facts.map(([name, value]) => [element("dt", {}, say(name)), element("dd", {}, value)])),
    fold(`${say("LOGS")} (${number(data.sources.length)})`, () => table(say("LOGS"), [say("LOGS"), say("LINES"), say("SIZE"), say("PROBLEM")], sources), data.sources.some((each) => each.problem)));
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${number(Number(count.toPrecision(3)))} ${units[unit]}`;
}

// Where evidence stands: time in milliseconds (null where the line has none), line, writer.
function places(answer) {
  const found = [];
  for (const item of [...data.diagnoses, ...data.unknown_errors]) {
    for (const place of item.sightings || item.evidence) found.push({ item, place, time: instant(place.time), writer: writerOf(place), isRoot: item === answer });
  }
  return found;
}

// Times without a year begin with `--`; a leap year has all their days.
function instant(time) {
  const value = time ? Date.parse(`${time.replace(/^--/, "2000-")}Z`) : NaN;
  return Number.isNaN(value) ? null : value;
}

function writerOf(place) {
  const rank = place.rank !== null && place.rank !== undefined ? `rank ${place.rank}` : null;
  const name = [place.host, rank ?? place.actor].filter(Boolean).join(" · ");
  return name || place.source.split("/").at(-1);
}

function writersOf(found) {
  return [...new Set(found.map((each) => each.writer))].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

function timeline(answer) {
  const found = places(answer);
  if (found.length < 2) return null;
  const rows = found.map(({ item, place, writer }) => [place.time ? shownTime(place.time) : "", `${place.source}:${place.line}`, writer, shortened(titleOf(item), 120), named("verdict", item.verdict)]);
  const box = element("div", { class: "chart" }, element("canvas", { id: "timeline", role: "img", "aria-label": say("TIMELINE_LABEL", { count: number(found.length) }) }));
  box.style.height = `${Math.min(560, 110 + 26 * writersOf(found).length)}px`;
  return element("section", { class: "card" }, element("h2", {}, say("TIMELINE")), element("p", { class: "dim" }, say("TIMELINE_HINT")), box,
    fold(say("AS_TABLE"), () => table(say("TIMELINE"), [say("TIME"), say("LINE"), say("WRITER"), say("WHAT"), say("VERDICT")], rows)));
}

const POINTS = [
  ["root_cause", "--error", "rectRot", 9],
  ["consequence", "--warning", "circle", 6],
  ["independent", "--accent", "triangle", 7],
  ["harmless", "--text-dim", "crossRot", 6],
];

function drawTimeline(answer) {
  const canvas = document.getElementById("timeline");
  if (!canvas) return;
  const found = places(answer);
  const isTimed = found.every((each) => each.time !== null);
  const writers = writersOf(found);
  const classOf = ({ item, isRoot }) => (isRoot ? "root_cause" : HARMLESS.includes(item.verdict) ? "harmless" : item.verdict === "root_cause" ? "independent" : item.verdict);
  const datasets = POINTS.map(([verdict, property, pointStyle, radius]) => ({
    label: verdict === "harmless" ? named("verdict", "benign") : named("verdict", verdict),
    data: found.filter((each) => classOf(each) === verdict).map((each) => ({ x: isTimed ? each.time : each.place.line, y: each.writer, each })),
    backgroundColor: colour(property), borderColor: colour(property), borderWidth: 2, pointStyle, radius, hoverRadius: radius + 2,
  })).filter((dataset) => dataset.data.length);
  chart(canvas, {
    type: "scatter",
    data: { datasets },
    options: {
      scales: {
        x: { type: "linear", title: { display: true, text: say(isTimed ? "TIME" : "LINE") }, grace: "6%",
          ticks: { maxRotation: 0, autoSkipPadding: 24, precision: 0, callback: (value) => (isTimed ? clock(value) : value < 0 ? "" : number(value)) } },
        y: { type: "category", labels: writers, offset: true, ticks: { callback: (value) => shortened(writers[value], innerWidth < 600 ? 16 : 40) } },
      },
      plugins: {
        legend: { position: "bottom", labels: { usePointStyle: true } },
        tooltip: { callbacks: {
          title: ([point]) => shortened(titleOf(point.raw.each.item), 80),
          label: ({ raw: { each } }) => `${each.place.source}:${each.place.line}${each.place.time ? `  ${shownTime(each.place.time)}` : ""}`,
        } },
      },
    },
  });
}

function clock(milliseconds) {
  return new Date(milliseconds).toISOString().slice(5, 19).replace("T", " ");
}
