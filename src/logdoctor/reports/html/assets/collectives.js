// Ranks × sequence numbers of a hung run's collectives.

const STANDINGS = ["completed", "started", "scheduled", "different", "never_came", "not_kept", "no_dump"];

// The section; null where no flight recorder tells.
function collectives({ charts, more }) {
  if (!charts.length) return null;
  return element("section", { class: "card", id: "collectives" }, element("h2", {}, say("COLLECTIVES")), element("p", { class: "dim" }, say("COLLECTIVES_HINT")),
    charts.map(groupOfRanks), more > 0 && element("p", { class: "dim" }, say("GROUPS_LEFT", { count: number(more) })));
}

function groupOfRanks(group) {
  const kinds = STANDINGS.filter((kind) => group.rows.some((row) => row.standings.includes(kind)));
  const isBlamed = group.rows.some(({ role }) => role === "guilty");
  return [element("h3", {}, group.group),
    element("p", { class: "dim" }, say(group.waiting ? "COLLECTIVES_WAITING" : "NOBODY_WAITS", { count: number(group.waiting), operation: operationOf(group, group.awaited) })),
    chart(3 * AXIS + ROW_OF_RANKS * group.rows.length, { class: "collectives" }, (width, box) => collectivesChart(group, width, box)),
    legend([...(isBlamed ? [[`✖ ${named("rank_role", "guilty")}`, "of-guilty"]] : []), ...kinds.map((kind) => [named("standing", kind), kind])]),
    group.left_out && element("p", { class: "dim" }, say("RANKS_LEFT", { ranks: group.left_out })),
    fold(say("AS_TABLE"), () => collectivesTables(group))];
}

const ROW_OF_RANKS = 26; // pixels
const COLUMN_LEAST = 15;
const SIGNS = { guilty: "✖ ", suspect: "? " };

function operationOf({ first, operations }, at) {
  return [`#${at}`, operations[at - first]].filter(Boolean).join(" ");
}

function nameOf(row, letters = Infinity) {
  return say(row.count > 2 ? "RANKS_COUNT" : "RANK_NAME", { ranks: shortened(row.ranks, letters), count: number(row.count) });
}

// Of all columns those that have room, the awaited one and the last ones first.
function columnsShown({ first, awaited, operations }, room) {
  const count = Math.max(1, Math.min(operations.length, Math.floor(room / COLUMN_LEAST)));
  const from = Math.max(0, Math.min(operations.length - count, awaited - first - 2));
  return operations.slice(from, from + count).map((_, i) => from + i);
}

function collectivesChart(group, width, box) {
  const { first, rows } = group;
  const height = box.clientHeight;
  const names = rows.map((row) => `${SIGNS[row.role] ?? ""}${nameOf(row, width < 640 ? 10 : 34)}`);
  const left = Math.ceil(Math.max(...names.map(columnsOf))) + 16;
  const shown = columnsShown(group, width - left - 8);
  const column = Math.min(34, (width - left - 8) / shown.length);
  const [right, top, bottom] = [left + column * shown.length, AXIS, height - 2 * AXIS];
  const size = Math.min(column, ROW_OF_RANKS) / 2 - 2.5;
  const x = (i) => left + column * (i - shown[0] + 0.5);
  const y = (at) => top + ROW_OF_RANKS * (at + 0.5);
  const tip = tipOf(box);
  const tell = (row, i) => [operationOf(group, first + i), `${nameOf(row)}${say("COLON")}${named("standing", row.standings[i])}`];
  const around = (at, from, to, className) => shape("rect", { x: from, y: y(at) - ROW_OF_RANKS / 2, width: to - from, height: ROW_OF_RANKS, class: className });
  const cells = rows.map((row, at) => shown.map((i) => shape("g", { class: row.role, pointermove: (event) => tip.show(tell(row, i), event), pointerleave: tip.hide },
    around(at, x(i) - column / 2, x(i) + column / 2, "around"), mark(row.standings[i], x(i), y(at), size))));
  const awaited = x(group.awaited - first);
  return [drawing(width, height, say("COLLECTIVES_LABEL", { group: group.group, first: first + shown[0], last: first + shown.at(-1) }),
    rows.map(({ role }, at) => role === "guilty" && around(at, 0, right, "of-guilty")),
    shape("rect", { x: awaited - column / 2, y: top - 1, width: column, height: bottom - top + 2, rx: 4, class: "awaited" }), label("▼", awaited, top - 7, "middle"),
    names.map((name, at) => label(name, left - 10, y(at) + 4, "end", rows[at].role === "guilty" ? "tick blamed" : "tick")), cells,
    below(shown.map((i) => [String(first + i), x(i)]), bottom + 16, right), label(say("SEQUENCE_NUMBER"), (left + right) / 2, height - 8, "middle")), tip.element];
}

// Numbers in succession with one standing, as one.
function stretchesOf({ first }, standings) {
  const starts = standings.map((_, i) => i).filter((i) => i === 0 || standings[i] !== standings[i - 1]);
  return starts.map((from, i) => {
    const to = (starts[i + 1] ?? standings.length) - 1;
    return say(from === to ? "ONE_NUMBER" : "FROM_TO", { first: first + from, last: first + to, state: named("standing", standings[from]) });
  }).join(say("LIST_COMMA"));
}

function collectivesTables(group) {
  const rows = group.rows.map((row) => [nameOf(row), `${SIGNS[row.role] ?? ""}${named("rank_role", row.role)}`, stretchesOf(group, row.standings)]);
  const operations = group.operations.map((text, i) => [`#${group.first + i}`, text]).filter(([, text]) => text);
  return [table(`${say("COLLECTIVES")}${say("COLON")}${group.group}`, [say("RANKS"), say("ROLE_IN_HANG"), say("HOW_FAR")], rows, { class: "of-ranks" }),
    operations.length > 0 && table(`${say("OPERATION")}${say("COLON")}${group.group}`, [say("SEQUENCE_NUMBER"), say("OPERATION")], operations)].filter(Boolean);
}
