// One diagnosis, or one error that no signature knows, in full.

const HARMLESS = ["recovered", "teardown", "benign"];
const GUESS = 0.5; // confidence up to which a diagnosis is as likely wrong as right
const REMEDIES_SHOWN = 5; // at once; a longer list is not tried from its top
const MARKS = { yes: ["✔", "FITS"], unknown: ["?", "MAY_FIT"], no: ["✘", "FITS_NOT"] }; // what fits always has none

// Ascending numbers with runs folded: 0-3, 8.
function ranges(numbers) {
  const runs = [];
  for (const each of numbers) {
    if (runs.length && each === runs.at(-1)[1] + 1) runs.at(-1)[1] = each;
    else runs.push([each, each]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

function titleOf(item) {
  const title = pick(item.title) ?? say("HEALTHY");
  return item.verdict === "root_cause" && item.confidence <= GUESS ? say("GUESS", { title }) : title;
}

function kindOf(item) {
  if (HARMLESS.includes(item.verdict)) return "harmless";
  return item.severity === "warning" ? "warning" : "error";
}

function shownTime(time) {
  return time.replace(/^--/, "").replace("T", " ");
}

function writerFacts(item, evidence) {
  const ranks = item.ranks && item.ranks.length ? item.ranks : evidence.rank !== null && evidence.rank !== undefined ? [evidence.rank] : [];
  return [
    ranks.length && say("RANK", { ranks: ranges(ranks) }),
    evidence.host && say("HOST", { host: evidence.host }),
    evidence.actor && say("ACTOR", { actor: evidence.actor }),
    item.phase && say("PHASE", { phase: named("phase", item.phase) }),
    evidence.time && shownTime(evidence.time),
    item.occurrences > 1 && say("TIMES", { count: number(item.occurrences) }),
    item.lanes > 1 && say("LANES", { count: number(item.lanes) }),
  ].filter(Boolean);
}

function chips(texts, extra = []) {
  return element("ul", { class: "chips" }, [...extra, ...texts.map((text) => element("li", {}, text))]);
}

// Long lines, like those of progress bars and dumped tensors, begin at their proof where the report knows it.
function proof(item, evidence) {
  const lines = evidence.context && evidence.context.length ? evidence.context : [[evidence.line, evidence.text]];
  const place = evidence.stands_at ? `${evidence.stands_at.file}:${evidence.stands_at.line}` : `${evidence.source}:${evidence.line}`;
  return element("figure", { class: "proof" },
    element("figcaption", {}, element("code", {}, place), copyButton(lines.map(([, text]) => text).join("\n"), say("COPY_EVIDENCE"))),
    element("pre", { tabindex: "0", role: "group", "aria-label": place },
      lines.map(([line, text]) => element("span", { class: line === evidence.line && text === evidence.text ? "row proving" : "row", ...asPlace(evidence.source, line) },
        element("span", { class: "line-number", "data-line": line, "aria-hidden": "true" }), element("span", { class: "text" }, `${text}\n`)))));
}

// What makes an element one that a place in a log is shown at.
function asPlace(source, line) {
  return { "data-place": `${source}:${line}`, tabindex: "-1" };
}

// Shows a place where the page has its line: within a proof, else in the table of the time line.
function showPlace(place, from) {
  const scope = from.closest("tr.details") ?? document;
  const find = () => scope.querySelector(`[data-place="${CSS.escape(place)}"]`);
  const places = scope.querySelector("details.places");
  if (!find() && places) {
    places.open = true;
    places.dispatchEvent(new Event("toggle")); // the browser's own comes later
  }
  const found = find();
  if (!found) return;
  for (let each = found.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
  document.querySelectorAll(".pointed-at").forEach((each) => each.classList.remove("pointed-at"));
  found.classList.add("pointed-at");
  found.scrollIntoView({ block: "center" });
  found.focus({ preventScroll: true });
}

// Why it has its verdict, the deciding reason first, each with the line that proves it.
function reasons(item) {
  return (item.because ?? []).map((reason) => { // what an older logdoctor kept has none
    const place = `${reason.source}:${reason.line}`;
    return element("p", { class: "because", "data-rule": reason.rule }, element("span", { class: "lead" }, say("BECAUSE"), say("COLON")), `${pick(reason.text)} `,
      element("button", { type: "button", class: "as-link", "aria-label": say("SHOW_PLACE", { place }), click: (event) => showPlace(place, event.currentTarget) }, place));
  });
}

function settingsTable(remedy) {
  const keys = Object.keys(remedy.set);
  if (!keys.length) return null;
  const { now } = remedy; // what an older logdoctor kept has none
  const heads = ["SETTING", now && "CURRENT", "SUGGESTED"].filter(Boolean).map((name) => element("th", { scope: "col" }, say(name)));
  return element("table", { class: "settings" },
    element("thead", {}, element("tr", {}, heads, element("td"))),
    element("tbody", {}, keys.map((key) => element("tr", {},
      element("th", { scope: "row", "data-head": say("SETTING") }, element("code", {}, key)),
      now && element("td", { "data-head": say("CURRENT") }, key in now ? element("code", { class: "now" }, now[key]) : element("span", { class: "dim" }, say("NOT_KNOWN"))),
      element("td", { "data-head": say("SUGGESTED") }, element("code", { class: "suggested" }, remedy.set[key])),
      element("td", {}, copyButton(`${key}: ${remedy.set[key]}`, say("COPY_SETTING", { key })))))));
}

function remedyItem(remedy) {
  const judged = MARKS[remedy.applies];
  const settled = settingsTable(remedy);
  return element("li", { class: `remedy ${remedy.applies}` },
    element("p", { class: "action" }, pick(remedy.action)),
    judged && element("p", { class: "why" }, element("span", { class: "fits" }, `${judged[0]} ${say(judged[1])}`), pick(remedy.why)),
    settled,
    remedy.risk !== "safe" && element("p", { class: "risk" }, `⚠ ${say("RISK")}: ${named("risk", remedy.risk)}`),
    element("p", { class: "check" }, element("span", { class: "lead" }, `${say("CHECK")}: `), pick(remedy.check)),
    remedy.reference && element("p", { class: "check" }, element("span", { class: "lead" }, `${say("READ_MORE")}: `), link(remedy.reference)));
}

function remedyList(some, first) {
  const list = element("ol", { class: "remedies", start: first }, some.map(remedyItem));
  list.style.counterReset = `remedy ${first - 1}`;
  return list;
}

function remedies(item) {
  const ready = item.remedies.filter((each) => each.applies === "yes" || each.applies === "always");
  const open = item.remedies.filter((each) => each.applies === "unknown");
  const fitting = ready.length ? ready : open; // what the log leaves open is folded where there is other advice
  const others = item.remedies.filter((each) => each.applies === "no");
  return [
    fitting.length > 0 && inParts(fitting, (some) => remedyList(some, fitting.indexOf(some[0]) + 1), REMEDIES_SHOWN),
    ready.length > 0 && open.length > 0 && fold(say("REMEDIES_OPEN", { count: open.length }), () => remedyList(open, ready.length + 1)),
    others.length > 0 && fold(say("REMEDIES_NOT_FITTING", { count: others.length }), () => remedyList(others, 1)),
  ].flat().filter(Boolean);
}

function commandLine(command) {
  return element("p", { class: "command" }, element("code", {}, command), copyButton(command, say("COPY_COMMAND")));
}

function identity(item) {
  if (item.fingerprint) return [`${say("FINGERPRINT")} ${item.fingerprint}`];
  return [
    item.signature_id,
    item.match && item.match.kind === "fuzzy" && say("FUZZY", { score: item.match.score }),
  ].filter(Boolean);
}

// All of it. `level` is that of its headings.
function inFull(item, level = 3) {
  const heading = (text) => element(`h${level}`, {}, text);
  const [first, ...others] = item.evidence;
  return [
    reasons(item),
    first && chips(writerFacts(item, first)),
    first && proof(item, first),
    others.length > 0 && fold(say("OTHER_PLACES", { count: others.length }), () => others.map((each) => proof(item, each))),
    item.cause && [heading(say("WHY")), element("p", { class: "cause" }, pick(item.cause))],
    item.remedies && item.remedies.length > 0 && [heading(say("TRY")), remedies(item)],
    item.next_steps && item.next_steps.length > 0 && [heading(say("LOOK_NEXT")), element("ul", { class: "plain" }, item.next_steps.map((step) => element("li", {}, pick(step))))],
    item.nearest && item.nearest.length > 0 && [heading(say("NEAREST")), item.nearest.map((near) => element("div", { class: "near" },
      element("p", {}, say("RESEMBLES", { id: near.signature_id, score: percent(near.score) })), commandLine(`logdoctor explain ${near.signature_id}`)))],
    item.signature_id && commandLine(`logdoctor explain ${item.signature_id}`),
    item.references && item.references.length > 0 && fold(say("REFERENCES_COUNT", { count: item.references.length }),
      () => element("ul", { class: "references" }, item.references.map((each) => element("li", {}, link(each))))),
  ].flat(Infinity).filter(Boolean);
}

function severityChip(item) {
  if (item.fingerprint) return element("li", { class: "severity error" }, say("UNKNOWN"));
  return element("li", { class: `severity ${item.severity === "warning" ? "warning" : "error"}` }, named("severity", item.severity));
}

// A fold with one line about the item; all of it inside.
function folded(item, level) {
  const first = item.evidence[0];
  const summary = element("span", { class: "one-line" },
    element("span", { class: "what" }, shortened(titleOf(item), 300)),
    element("span", { class: "dim" }, [`${first.source}:${first.line}`, ...writerFacts(item, first), item.explained_by && say("BECAUSE_OF", { name: shortened(item.explained_by, 80) }),
      HARMLESS.includes(item.verdict) && named("verdict", item.verdict)].filter(Boolean).join(" · ")));
  return fold(summary, () => element("div", { class: "inside" }, chips(identity(item), [severityChip(item)]), inFull(item, level)), false,
    { class: `item ${kindOf(item)}` });
}
