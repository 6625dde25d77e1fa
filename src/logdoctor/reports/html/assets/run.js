// The page of one run.

function drawPage(page) {
  const answer = data.answer ? data[data.answer.in][data.answer.index] : null;
  const others = [...data.diagnoses, ...data.unknown_errors].filter((item) => item !== answer);
  const of = (...verdicts) => others.filter((item) => verdicts.includes(item.verdict));
  document.getElementById("subject").textContent = data.sources.length === 1 ? data.sources[0].name : say("SOURCES", { count: data.sources.length });
  page.append(...[
    answer ? answerCard(answer) : healthyCard(),
    collectives(data.collectives),
    curves(data.curves),
    timeline([...data.diagnoses, ...data.unknown_errors], answer, 2),
    group("INDEPENDENT", of("independent", "root_cause")),
    group("FOLLOWED", of("consequence")),
    group("HARMLESS", of(...HARMLESS)),
    notSeen(),
    aboutRun(),
  ].filter(Boolean));
  document.getElementById("made-by").textContent = say("MADE_BY", data.tool);
}

function answerCard(item) {
  const kind = kindOf(item);
  return element("section", { class: `card answer ${kind}`, id: "answer", "aria-labelledby": "answer-title" },
    element("h1", { id: "answer-title" }, element("span", { class: "mark", "aria-hidden": "true" }, kind === "warning" ? "!" : "✖"), shortened(titleOf(item), 200)),
    chips(item.fingerprint ? [say("UNKNOWN_ERROR"), ...identity(item)] : identity(item), item.fingerprint ? [] : [severityChip(item)]),
    inFull(item, 2));
}

const STATES = { problem: "FAILED_UNSAID", good_end: "HEALTHY", going_on: "GOING_ON", no_end_seen: "NO_END_SEEN" };

function healthyCard() {
  const readable = data.sources.filter((each) => each.problem === null || each.lines);
  const { state: ending, text } = data.ending;
  const isRead = ending !== "nothing_read";
  const isWell = ending === "good_end" || ending === "going_on";
  const state = isRead ? STATES[ending] : data.sources.some((each) => each.problem) ? "NOTHING_READ" : "EMPTY";
  const step = data.context.last_progress && data.context.last_progress.step;
  const lines = readable.reduce((sum, each) => sum + each.lines, 0);
  return element("section", { class: `card answer ${isWell ? "healthy" : "warning"}`, id: "answer", "aria-labelledby": "answer-title" },
    element("h1", { id: "answer-title" }, element("span", { class: "mark", "aria-hidden": "true" }, isWell ? "✔" : "?"), say(state)),
    isRead && chips([say("LINES_READ", { lines: number(lines) }), typeof step === "number" && say("LAST_STEP", { step: number(step) })].filter(Boolean)),
    ending === "no_end_seen" && text && element("p", {}, say("LAST_WORDS"), ": ", element("code", {}, text.trim())));
}

function group(name, items) {
  if (!items.length) return null;
  return element("section", { class: "card", "aria-label": say(name) }, element("h2", {}, say(name), element("span", { class: "count" }, number(items.length))), inParts(items, (some) => some.map((item) => folded(item, 3))));
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
