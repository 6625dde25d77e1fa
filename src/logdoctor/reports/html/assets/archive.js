// The page of many runs.

const ROWS_PER_PAGE = 25;
const CAUSES_AT_ONCE = 10;
const BARS_OF = 8; // causes that have a colour of their own
const MAP_ROWS = 20;
const isNarrow = () => innerWidth < 640;
const UNKNOWN = ""; // the key of errors that no signature knows
const NOTHING = {}; // titles of rows of runs in which nothing was found

for (const row of data.rows) {
  for (const key of ["title", "cause", "remedies", "references"]) if (key in row) row[key] = data.shared[row[key]];
  if (row.now) row.remedies = row.remedies.map((remedy) => ({ ...remedy, now: row.now }));
  row.key = row.signature_id ?? (row.fingerprint ? UNKNOWN : NOTHING);
}
const rowsOfRun = data.runs.map(() => []);
for (const row of data.rows) rowsOfRun[row.run].push(row);
const isDeadly = (row) => row.is_root && row.severity !== "warning";
const rootOfRun = rowsOfRun.map((rows) => rows.find(isDeadly) ?? null);
const causes = [...data.causes];
const unknownRoots = rootOfRun.filter((row) => row && row.key === UNKNOWN).length;
if (unknownRoots) causes.push({ signature_id: UNKNOWN, roots: unknownRoots, seen: unknownRoots });
causes.sort((one, other) => other.roots - one.roots);

const FIRST_SHOWN = rootOfRun.some(Boolean) ? "root" : data.rows.some((row) => row.is_root) ? "all" : "healthy";
const filters = { search: "", show: FIRST_SHOWN, severity: "", cause: null, runs: null, sort: null, isDescending: false, page: 0, opened: new Set() };

function causeName(key) {
  if (key === UNKNOWN) return say("UNKNOWN");
  const cause = data.causes.find((each) => each.signature_id === key);
  return cause ? pick(cause.title) : key;
}

function drawPage(page) {
  document.getElementById("subject").textContent = say("ARCHIVE_TITLE");
  page.append(...[overview(), causesOverTime(), heatMap(), causeTable(), curves(data.curves), explorer(), unknownErrors(), nodes(), frameworks(), comparison(), unreadable()].filter(Boolean));
  document.getElementById("made-by").textContent = say("MADE_BY_ARCHIVE", data.tool);
  fillRows();
}

function overview() {
  const failed = rootOfRun.filter(Boolean).length;
  const warned = data.rows.filter((row) => row.is_root).length - failed;
  const unended = data.runs.filter((run) => run.ending === "no_end_seen").length;
  const tiles = [
    ["RUNS", data.runs.length], ["FAILED_RUNS", failed, "error"], ["HEALTHY_RUNS", data.runs.length - failed - warned - unended, "healthy"],
    ["UNENDED_RUNS", unended],
    ["WARNED_RUNS", warned, warned ? "warning" : ""],
    ["DISTINCT_CAUSES", data.causes.filter((each) => each.roots).length], ["UNKNOWN_RUNS", unknownRoots, unknownRoots ? "warning" : ""],
    ["UNREAD_RUNS", data.failed_to_read.length, data.failed_to_read.length ? "warning" : ""],
  ];
  const deadliest = causes.find((each) => each.roots);
  return element("section", { class: "card answer overview", id: "answer", "aria-label": say("ARCHIVE_TITLE") },
    element("h1", {}, say("ARCHIVE_TITLE")),
    failed === 0 && unended === 0 && data.runs.length > 0 && element("p", { class: "deadliest" }, say("HEALTHY")),
    deadliest && element("p", { class: "deadliest" }, say("DEADLIEST", { cause: causeName(deadliest.signature_id), count: number(deadliest.roots), failed: number(failed) })),
    element("dl", { class: "tiles" }, tiles.map(([name, value, kind]) => element("div", { class: kind ?? "" }, element("dt", {}, say(name)), element("dd", {}, number(value))))));
}

// The causes that have a colour: the deadliest; the others share one, and so do unknown errors.
function coloured() {
  return causes.filter((each) => each.roots && each.signature_id !== UNKNOWN).slice(0, BARS_OF).map((each) => each.signature_id);
}

// The time of a run, or of another thing that has one; that of files is marked.
function minute(timed) {
  return timed?.time ? (timed.is_file_time ? "~" : "") + shownTime(timed.time).slice(0, 16) : "";
}

function causesOverTime() {
  if (!rootOfRun.some(Boolean)) return null;
  const { unit, starts, counts, undated } = data.periods;
  const isTimed = starts.length > 1;
  const datedByFiles = data.runs.filter((run, i) => rootOfRun[i] && run.is_file_time).length;
  const label = isTimed ? say("CAUSES_OVER_TIME_LABEL", { unit: say(unit.toUpperCase()) }) : say("CAUSES_BY_RUNS_LABEL");
  const rows = Object.entries(counts).flatMap(([key, values]) => values.map((value, i) => [starts[i], causeName(key), number(value), value])).filter((row) => row[3]);
  return element("section", { class: "card" }, element("h2", {}, say(isTimed ? "CAUSES_OVER_TIME" : "CAUSES")), causeChart(isTimed, label),
    isTimed && legend(causesByPeriod().groups.map((each) => [each.label, each.className, each.choose])),
    isTimed && undated > 0 && element("p", { class: "dim" }, say("NO_TIMES", { count: number(undated) })),
    isTimed && datedByFiles > 0 && element("p", { class: "dim" }, say("FILE_TIMES", { count: number(datedByFiles) })),
    isTimed && fold(say("AS_TABLE"), () => table(say("CAUSES_OVER_TIME"), [say(unit.toUpperCase()), say("CAUSE_FILTER"), say("RUNS")],
      rows.sort((one, other) => one[0].localeCompare(other[0]) || other[3] - one[3]).map((row) => row.slice(0, 3)))));
}

// Failed runs by cause, and by period where there are several.
function causeChart(isTimed, name) {
  const height = isTimed ? 300 : 30 + 30 * Math.min(BARS_OF + 1, causes.length);
  return bars({ ...(isTimed ? causesByPeriod() : causesByRuns()), isUpright: isTimed, height, name });
}

function causesByPeriod() {
  const { starts, counts } = data.periods;
  const shown = coloured();
  const group = (text, values, className, key = null) => ({ label: shortened(text, isNarrow() ? 38 : 70), values, className, choose: () => choose({ cause: key }) });
  const groups = shown.filter((key) => key in counts).map((key) => group(causeName(key), counts[key], `series-${shown.indexOf(key)}`, key));
  const rest = Object.keys(counts).filter((key) => key !== UNKNOWN && !shown.includes(key));
  if (rest.length) groups.push(group(say("OTHER_CAUSES"), starts.map((_, i) => rest.reduce((sum, key) => sum + counts[key][i], 0)), "series-other"));
  if (UNKNOWN in counts) groups.push(group(say("UNKNOWN"), counts[UNKNOWN], "series-unknown", UNKNOWN));
  return { labels: starts, groups };
}

function causesByRuns() {
  const shown = causes.filter((each) => each.roots).slice(0, BARS_OF + 1);
  const labels = shown.map((each) => shortened(causeName(each.signature_id), isNarrow() ? 20 : 60));
  return { labels, groups: [{ label: say("RUNS"), values: shown.map((each) => each.roots), className: "series-accent" }] };
}

// Runs in their order, as many neighbours to a column as make it fit.
function columns() {
  const most = isNarrow() ? 16 : 60;
  const size = Math.max(1, Math.ceil(data.runs.length / most));
  return { size, columns: Array.from({ length: Math.ceil(data.runs.length / size) }, (_, i) => data.runs.slice(i * size, (i + 1) * size).map((_run, k) => i * size + k)) };
}

function heatMap() {
  const shown = causes.filter((each) => each.roots || each.seen).slice(0, isNarrow() ? MAP_ROWS / 2 : MAP_ROWS);
  if (!shown.length) return null;
  const { size, columns: bins } = columns();
  const cellOf = (cause, runs) => {
    const of = (row) => row.key === cause.signature_id;
    const root = runs.filter((run) => rootOfRun[run] && of(rootOfRun[run])).length;
    const seen = runs.filter((run) => rowsOfRun[run].some(of)).length;
    const name = (run) => `${data.runs[run].name}${data.runs[run].time ? ` (${minute(data.runs[run])})` : ""}`;
    const label = () => say("HEAT_CELL", { cause: causeName(cause.signature_id), root, seen, count: runs.length, first: name(runs[0]), last: name(runs.at(-1)) });
    return { root, seen, runs, label };
  };
  const rows = shown.map((cause) => ({ cause, cells: bins.map((runs) => cellOf(cause, runs)) }));
  const body = element("tbody", {}, rows.map(({ cause, cells }, r) => element("tr", {},
    element("th", { scope: "row", title: causeName(cause.signature_id) }, shortened(causeName(cause.signature_id), isNarrow() ? 36 : 60)),
    cells.map((cell, c) => heatCell(cell, cause, r === 0 && c === 0)),
    element("td", { class: "total" }, number(cause.roots)))));
  const grid = element("table", { class: "heat", role: "grid", "aria-label": say("HEAT_MAP"), keydown: moveInMap }, body);
  return element("section", { class: "card" }, element("h2", {}, say("HEAT_MAP")), element("p", { class: "dim" }, `${say(size === 1 ? "HEAT_MAP_ONE" : "HEAT_MAP_SOME", { count: number(size) })} ${say("HEAT_MAP_HINT")}`),
    element("div", { class: "scroll" }, grid), causes.length > shown.length && element("p", { class: "dim" }, say("MORE_CAUSES", { count: number(causes.length - shown.length) })));
}

function heatCell(cell, cause, isFirst) {
  const level = cell.root ? `root-${Math.ceil((4 * cell.root) / cell.runs.length)}` : cell.seen ? "seen" : "none";
  const made = element("td", { class: `cell ${level}`, tabindex: isFirst ? "0" : "-1" });
  made.logdoctor = { cell, cause };
  if (cell.seen) made.append(element("span", { class: "unseen" }, `${cell.root || cell.seen}`));
  const tell = () => { made.title = cell.label(); made.setAttribute("aria-label", made.title); };
  made.addEventListener("pointerenter", tell);
  made.addEventListener("focus", tell);
  made.addEventListener("click", () => chooseCell(made));
  return made;
}

function chooseCell(cell) {
  const { cell: { seen, runs, root: roots }, cause } = cell.logdoctor;
  if (seen) choose({ cause: cause.signature_id, runs: new Set(runs), show: roots ? "root" : "all" });
}

function moveInMap(event) {
  const cell = event.target.closest("td.cell");
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    chooseCell(cell);
    return;
  }
  const line = cell.parentElement;
  const at = [...line.children].indexOf(cell);
  const next = {
    ArrowRight: () => cell.nextElementSibling, ArrowLeft: () => cell.previousElementSibling,
    ArrowDown: () => line.nextElementSibling?.children[at], ArrowUp: () => line.previousElementSibling?.children[at],
    Home: () => line.children[1], End: () => line.lastElementChild.previousElementSibling,
  }[event.key]?.();
  if (!next || !next.matches("td.cell")) return;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// Sets filters and shows what they let through.
function choose(changes) {
  Object.assign(filters, { search: "", severity: "", runs: null, show: FIRST_SHOWN, page: 0 }, changes);
  const section = document.getElementById("explorer");
  section.replaceWith(explorer());
  fillRows();
  document.getElementById("explorer").scrollIntoView({ block: "start" });
  document.getElementById("explorer-title").focus({ preventScroll: true });
}

function causeTable() {
  if (!data.causes.length) return null;
  const rows = data.causes.map((cause) => [
    element("button", { type: "button", class: "as-link", click: () => choose({ cause: cause.signature_id, show: cause.roots ? "root" : "all" }) }, pick(cause.title)),
    number(cause.roots), number(cause.seen), number(cause.occurrences), minute(cause.first_seen), minute(cause.last_seen),
  ]);
  const heads = [say("CAUSE_FILTER"), say("FAILED_RUNS"), say("RUNS"), say("OCCURRENCES"), say("FIRST_SEEN"), say("LAST_SEEN")];
  const part = (some) => table(say("CAUSES"), heads, some, { class: "numbers" });
  return element("section", { class: "card" }, element("h2", {}, say("CAUSES"), element("span", { class: "count" }, number(data.causes.length))),
    inParts(rows, part, CAUSES_AT_ONCE));
}

const SHOWN = {
  root: isDeadly,
  all: (row) => row.key !== NOTHING,
  others: (row) => (row.verdict === "independent" || row.is_root) && !isDeadly(row),
  consequences: (row) => row.verdict === "consequence" && !row.is_root,
  harmless: (row) => HARMLESS.includes(row.verdict),
  healthy: (row) => row.key === NOTHING,
};
const SHOWN_NAMES = { root: "SHOW_ROOT", all: "SHOW_ALL_ROWS", others: "SHOW_OTHERS", consequences: "SHOW_CONSEQUENCES", harmless: "SHOW_HARMLESS", healthy: "SHOW_HEALTHY" };

const COLUMNS = [
  ["RUN", (row) => data.runs[row.run].name],
  ["WHAT", (row) => titleOf(row)],
  ["TIME", (row) => data.runs[row.run].time ?? ""],
  ["HOSTS", (row) => data.runs[row.run].hosts.join(" ")],
  ["VERDICT", (row) => (row.verdict ? named("verdict", row.verdict) : "")],
  ["OCCURRENCES", (row) => row.occurrences ?? 0],
];

function option(value, text, chosen) {
  return element("option", { value, selected: value === chosen }, text);
}

function filterField(name, control) {
  return element("label", {}, element("span", {}, say(name)), control);
}

function explorer() {
  const change = (key) => (event) => {
    filters[key] = event.target.value;
    filters.page = 0;
    fillRows();
  };
  const byCause = (event) => {
    filters.cause = event.target.value === "any" ? null : event.target.value.slice(1);
    filters.page = 0;
    fillRows();
  };
  let waiting = 0;
  const search = (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { change("search")(event); }, 120);
  };
  const chosen = filters.cause === null ? "any" : `=${filters.cause}`;
  return element("section", { class: "card", id: "explorer", "aria-labelledby": "explorer-title" },
    element("h2", { id: "explorer-title", tabindex: "-1" }, say("EXPLORER")),
    element("form", { class: "filters", role: "search", submit: (event) => event.preventDefault() },
      filterField("SEARCH", element("input", { type: "search", id: "search", value: filters.search, placeholder: say("SEARCH_HINT"), input: search, autocomplete: "off", spellcheck: "false" })),
      filterField("SHOW", element("select", { id: "show", change: change("show") }, Object.entries(SHOWN_NAMES).map(([value, name]) => option(value, say(name), filters.show)))),
      filterField("CAUSE_FILTER", element("select", { id: "cause", change: byCause }, option("any", say("ANY"), chosen),
        causes.map((each) => option(`=${each.signature_id}`, shortened(causeName(each.signature_id), 70), chosen)))),
      filterField("SEVERITY", element("select", { id: "severity", change: change("severity") }, option("", say("ANY"), filters.severity),
        ["fatal", "error", "warning"].map((value) => option(value, named("severity", value), filters.severity)))),
      element("button", { type: "button", click: () => choose({ cause: null }) }, say("CLEAR"))),
    element("p", { id: "row-count", role: "status", "aria-live": "polite" }),
    element("div", { id: "rows" }));
}

// What is searched of a row; made when first needed.
function haystack(row) {
  if (row.haystack === undefined) {
    const run = data.runs[row.run];
    const title = row.title === undefined ? [] : typeof row.title === "string" ? [row.title] : [row.title.en, row.title.zh];
    row.haystack = [run.name, ...run.hosts, ...run.frameworks, row.signature_id, row.fingerprint, ...title,
      ...row.evidence.flatMap((each) => [each.source, each.text, each.host, each.actor])].filter(Boolean).join("\n").toLowerCase();
  }
  return row.haystack;
}

function chosenRows() {
  const words = filters.search.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = data.rows.filter((row) => SHOWN[filters.show](row)
    && (filters.cause === null || row.key === filters.cause) && (!filters.severity || row.severity === filters.severity)
    && (!filters.runs || filters.runs.has(row.run)) && words.every((word) => haystack(row).includes(word)));
  if (filters.sort === null) return rows;
  const value = COLUMNS[filters.sort][1];
  const order = new Intl.Collator(root.lang, { numeric: true }).compare;
  const sorted = rows.map((row) => [value(row), row]).sort(([one], [other]) => (typeof one === "number" ? one - other : order(one, other)));
  if (filters.isDescending) sorted.reverse();
  return sorted.map(([, row]) => row);
}

function fillRows() {
  const rows = chosenRows();
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
  filters.page = Math.min(filters.page, pages - 1);
  const count = say("ROWS", { count: number(rows.length), runs: number(new Set(rows.map((row) => row.run)).size) });
  document.getElementById("row-count").textContent = filters.runs ? `${count} · ${say("SELECTED_RUNS", { count: number(filters.runs.size) })}` : count;
  const shown = rows.slice(filters.page * ROWS_PER_PAGE, (filters.page + 1) * ROWS_PER_PAGE);
  document.getElementById("rows").replaceChildren(...[
    rows.length ? rowTable(shown) : element("p", { class: "dim" }, say("NO_ROWS")),
    pages > 1 && pager(pages),
  ].filter(Boolean));
}

function sortBy(column) {
  filters.isDescending = filters.sort === column && !filters.isDescending;
  filters.sort = column;
  filters.page = 0;
  fillRows();
  document.querySelectorAll("#rows thead button")[column].focus();
}

function rowTable(rows) {
  const heads = COLUMNS.map(([name], i) => element("th", { scope: "col", "aria-sort": filters.sort === i ? (filters.isDescending ? "descending" : "ascending") : "none" },
    element("button", { type: "button", class: "as-link", title: say("SORT_BY", { column: say(name) }), click: () => sortBy(i) }, say(name),
      filters.sort === i && element("span", { "aria-hidden": "true" }, filters.isDescending ? " ▼" : " ▲"))));
  return element("table", { class: "rows" }, element("caption", { class: "unseen" }, say("EXPLORER")), element("thead", {}, element("tr", {}, heads)),
    element("tbody", {}, rows.flatMap(rowLines)));
}

function rowLines(row) {
  const run = data.runs[row.run];
  const isOpen = filters.opened.has(row);
  const details = element("tr", { class: "details", hidden: !isOpen });
  const fill = () => { if (!details.children.length) details.append(element("td", { colspan: COLUMNS.length }, rowDetails(row, run))); };
  if (isOpen) fill();
  const toggle = (event) => {
    const willOpen = details.hidden;
    if (willOpen) filters.opened.add(row);
    else filters.opened.delete(row);
    fill();
    details.hidden = !willOpen;
    event.currentTarget.setAttribute("aria-expanded", willOpen);
  };
  const button = element("button", { type: "button", class: "as-link run-name", "aria-expanded": String(isOpen), "aria-label": say("OPEN_DETAILS", { name: run.name }), click: toggle }, run.name);
  const cells = [
    button,
    [element("span", { class: `dot ${row.key === NOTHING ? "healthy" : kindOf(row)}`, "aria-hidden": "true" }), shortened(titleOf(row), 160)],
    minute(run), run.hosts.slice(0, 3).join(", ") + (run.hosts.length > 3 ? ` +${run.hosts.length - 3}` : ""),
    row.verdict ? named("verdict", row.verdict) : "", row.occurrences ? number(row.occurrences) : "",
  ];
  return [element("tr", { class: "one" }, cells.map((cell, i) => element("td", { "data-head": cell === "" ? null : say(COLUMNS[i][0]) }, cell))), details];
}

function rowDetails(row, run) {
  const others = rowsOfRun[row.run].filter((each) => each !== row && each.evidence.length);
  return element("div", { class: "inside" },
    run.problems.length > 0 && element("ul", { class: "plain problems" }, run.problems.map((problem) => element("li", {}, `⚠ ${problem}`))),
    row.key === NOTHING ? chips(run.frameworks) : [chips([...identity(row), ...run.frameworks], [severityChip(row)]), inFull(row, 3)],
    timeline(rowsOfRun[row.run].filter((each) => each.evidence.length), rowsOfRun[row.run].find((each) => each.is_root) ?? null, 3),
    others.length > 0 && [element("h3", {}, say("REST_OF_RUN")), others.map((each) => folded(each, 4))]);
}

function pager(pages) {
  const turn = (step) => () => {
    filters.page += step;
    fillRows();
    document.getElementById("explorer-title").focus();
  };
  return element("nav", { class: "pager", "aria-label": say("PAGE", { page: filters.page + 1, pages }) },
    element("button", { type: "button", disabled: filters.page === 0, click: turn(-1), "aria-label": say("PREVIOUS") }, "←"),
    element("span", {}, say("PAGE", { page: number(filters.page + 1), pages: number(pages) })),
    element("button", { type: "button", disabled: filters.page === pages - 1, click: turn(1), "aria-label": say("NEXT") }, "→"));
}

function runsOf(error) {
  return Array.isArray(error.runs) ? error.runs.length : error.runs ?? 0;
}

function unknownErrors() {
  if (!data.unknown_errors.length) return null;
  const errors = [...data.unknown_errors].sort((one, other) => runsOf(other) - runsOf(one) || other.occurrences - one.occurrences);
  const line = (error) => fold(
    element("span", { class: "one-line" }, element("span", { class: "what" }, shortened(pick(error.title), 300)),
      element("span", { class: "dim" }, [`${say("FINGERPRINT")} ${error.fingerprint}`, `${say("RUNS")}: ${number(runsOf(error))}`,
        error.occurrences > 1 && say("TIMES", { count: number(error.occurrences) })].filter(Boolean).join(" · "))),
    () => element("div", { class: "inside" }, inFull({ ...error, evidence: error.evidence ?? [] }, 3)), false, { class: "item error" });
  return element("section", { class: "card" }, element("h2", {}, say("UNKNOWN_ERRORS"), element("span", { class: "count" }, number(errors.length))), inParts(errors, (some) => some.map(line)));
}

// Nodes that fail more often than chance, with the figure.
function nodes() {
  if (!data.nodes.length) return null;
  const rows = data.nodes.map((node) => [element("strong", {}, node.name), number(node.failed), number(node.runs), node.expected.toFixed(1), node.chance.toPrecision(1)]);
  return element("section", { class: "card" }, element("h2", {}, say("NODES")), element("p", { class: "dim" }, say("NODES_HINT")),
    table(say("NODES"), ["NODE", "FAILED_ON_IT", "RUNS", "EXPECTED", "CHANCE"].map((name) => say(name)), rows, { class: "numbers" }));
}

function frameworks() {
  if (!data.frameworks.length) return null;
  const rows = data.frameworks.map((each) => [each.name, number(each.runs), number(each.failed), each.runs ? `${percent(each.failed / each.runs)} %` : ""]);
  return element("section", { class: "card" }, element("h2", {}, say("FRAMEWORKS")),
    table(say("FRAMEWORKS"), [say("FRAMEWORKS"), say("RUNS"), say("FAILED_RUNS"), say("SHARE_FAILED")], rows, { class: "numbers" }));
}

function comparison() {
  if (!data.comparison) return null;
  const { good_runs: good, bad_runs: bad, lines } = data.comparison;
  const rows = (some) => some.map((each) => [number(each.runs), element("code", {}, shortened(each.text, 500)), `${each.source}:${each.line}`]);
  const parted = (data.comparison.partings ?? []).map((each) => [named("metric", each.metric), number(each.step), shown(each.good ?? "NaN"), shown(each.bad ?? "NaN")]);
  const part = (some) => table(say("COMPARISON"), [say("RUNS"), say("LOG_LINE"), say("WHERE")], rows(some));
  return element("section", { class: "card" }, element("h2", {}, say("COMPARISON"), element("span", { class: "count" }, number(lines.length))),
    element("p", { class: "dim" }, say("COMPARISON_HINT", { good: number(good), bad: number(bad) })), inParts(lines, part),
    parted.length > 0 && [element("h3", {}, say("PARTED_AT")), table(say("PARTED_AT"), [say("METRIC"), say("FROM_STEP"), say("GOOD"), say("BAD")], parted, { class: "numbers" })]);
}

function unreadable() {
  if (!data.failed_to_read.length) return null;
  return element("section", { class: "card" }, element("h2", {}, say("UNREAD_RUNS"), element("span", { class: "count" }, number(data.failed_to_read.length))),
    fold(say("LOGS"), () => element("ul", { class: "plain problems" }, data.failed_to_read.map((each) => element("li", {}, each))), data.failed_to_read.length <= 10));
}
