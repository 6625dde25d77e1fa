// Ranks × time line of a run's events.

const POINTS = [["harmless", 4], ["independent", 6], ["consequence", 5], ["root_cause", 8]]; // with their sizes; the last one lies on top

// Where these things stand in the log, each place once: time in milliseconds (null where the line has none), line, writer.
function placesOf(items, answer) {
  const places = items.flatMap((item) => {
    const each = new Map([...item.evidence, ...(item.sightings ?? [])].map((place) => [`${place.source}:${place.line}`, place]));
    return [...each.values()].map((place) => ({ item, place, writer: writerOf(place), kind: pointKind(item, answer) }));
  });
  const years = new Set(places.map(({ place }) => place.time?.match(/^\d{4}/)?.[0]).filter(Boolean));
  for (const each of places) each.time = instant(each.place.time, years);
  return places.sort(byTime);
}

// The other lines that prove verdicts, each at the time of what its source says last above it.
function proofsOf(items, places) {
  const known = new Set(places.map(({ place }) => `${place.source}:${place.line}`));
  const proofs = new Map(items.flatMap((item) => (item.because ?? []).map((reason) => [`${reason.source}:${reason.line}:${pick(reason.text)}`, { item, place: reason, reason }])));
  return [...proofs.values()].filter(({ place }) => !known.has(`${place.source}:${place.line}`)).map((proof) => {
    const above = places.filter(({ place }) => place.source === proof.place.source && place.line < proof.place.line);
    return { ...proof, time: above.at(-1)?.time ?? null };
  });
}

function byTime(one, other) {
  return (one.time ?? 0) - (other.time ?? 0) || one.place.line - other.place.line;
}

function pointKind(item, answer) {
  if (item === answer) return "root_cause";
  if (HARMLESS.includes(item.verdict)) return "harmless";
  return item.verdict === "consequence" ? "consequence" : "independent";
}

// Times without a year begin with `--`; they lie in the year that the others name, or else in one that has all days.
function instant(time, years) {
  if (!time || (time.startsWith("--") && years.size > 1)) return null;
  const value = Date.parse(`${time.replace(/^--/, `${[...years][0] ?? "2000"}-`)}Z`);
  return Number.isNaN(value) ? null : value;
}

function clock(milliseconds) {
  return new Date(milliseconds).toISOString().slice(5, 19).replace("T", " ");
}

function writerOf(place) {
  const isRank = place.rank !== null && place.rank !== undefined;
  const name = [place.host, isRank ? `rank ${place.rank}` : place.actor, !isRank && place.pid ? `pid ${place.pid}` : null].filter(Boolean).join(" · ");
  return name || place.source.split("/").at(-1);
}

// The section; null where there is too little to compare.
function timeline(items, answer, level) {
  const places = placesOf(items, answer);
  const proofs = proofsOf(items, places);
  if (places.length + proofs.length < 2) return null;
  const writers = [...new Set(places.map((each) => each.writer))].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const rows = () => [...places, ...proofs].sort(byTime).map(({ item, place, writer, reason }) => [place.time ? shownTime(place.time) : "",
    element("span", asPlace(place.source, place.line), `${place.source}:${place.line}`), writer ?? "",
    reason ? `${say("BECAUSE")}${say("COLON")}${pick(reason.text)}` : shortened(titleOf(item), 120), named("verdict", item === answer ? "root_cause" : item.verdict)]);
  return element("section", { class: level === 2 ? "card" : "" }, element(`h${level}`, {}, say("TIMELINE")), places.length > 1 && timelineBox(places, writers),
    fold(say("AS_TABLE"), () => table(say("TIMELINE"), [say("TIME"), say("LINE"), say("WRITER"), say("WHAT"), say("VERDICT")], rows()), false, { class: "places" }));
}

function timelineBox(places, writers) {
  const isTimed = places.every((each) => each.time !== null);
  const kinds = POINTS.filter(([kind]) => places.some((each) => each.kind === kind));
  const height = Math.min(620, 60 + 24 * writers.length);
  return [element("p", { class: "dim" }, say("TIMELINE_HINT")),
    chart(height, { class: "timeline" }, (width, box) => timelineChart(places, writers, kinds, isTimed, [width, height], box)),
    legend([...kinds].reverse().map(([kind]) => [named("verdict", kind === "harmless" ? "benign" : kind), kind]))];
}

function timelineChart(places, writers, kinds, isTimed, [width, height], box) {
  const names = writers.map((each) => shortened(each, innerWidth < 640 ? 16 : 44));
  const left = Math.ceil(Math.max(...names.map(columnsOf))) + 12;
  const [right, bottom] = [width - 14, height - 2 * AXIS];
  const value = (each) => (isTimed ? each.time : each.place.line);
  const values = places.map(value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * 0.05;
  const x = scale(low - room, high + room, left, right);
  const band = (bottom - 6) / writers.length;
  const row = new Map(writers.map((each, i) => [each, 6 + band * (i + 0.5)]));
  const marks = ticks(low, high, width / 140, true).filter((each) => isTimed || each >= 1);
  const tip = tipOf(box);
  const tell = ({ item, place }) => [shortened(titleOf(item), 80), [`${place.source}:${place.line}`, place.time && shownTime(place.time)].filter(Boolean).join("  ")];
  const points = kinds.flatMap(([kind, size]) => places.filter((each) => each.kind === kind).map((each) => mark(kind, x(value(each)), row.get(each.writer), size,
    { pointermove: (event) => tip.show(tell(each), event), pointerleave: tip.hide })));
  const every = Math.max(1, Math.ceil(14 / band)); // names that would touch are left out
  return [drawing(width, height, say("TIMELINE_LABEL", { count: number(places.length) }),
    marks.map((each) => lineShape(x(each), 6, x(each), bottom, "grid")), [...row.values()].map((y) => lineShape(left, y, right, y, "grid")),
    names.map((each, i) => i % every === 0 && label(each, left - 8, row.get(writers[i]) + 4, "end")),
    below(marks.map((each) => [isTimed ? clock(each) : number(each), x(each)]), bottom + 16, right),
    label(say(isTimed ? "TIME" : "LINE"), (left + right) / 2, height - 6, "middle"), points), tip.element];
}
