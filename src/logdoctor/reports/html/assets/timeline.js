// Ranks × time line of a run's events.

const POINTS = [
  ["root_cause", "--error", "rectRot", 9],
  ["consequence", "--warning", "circle", 6],
  ["independent", "--accent", "triangle", 7],
  ["harmless", "--text-dim", "crossRot", 6],
];

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
  const canvas = element("canvas", { role: "img", "aria-label": say("TIMELINE_LABEL", { count: number(places.length) }) });
  const box = element("div", { class: "chart timeline" }, canvas);
  box.style.height = `${Math.min(620, 118 + 24 * writers.length)}px`;
  requestAnimationFrame(() => { if (canvas.isConnected) chart(canvas, timelineChart(places, writers)); });
  return [element("p", { class: "dim" }, say("TIMELINE_HINT")), box];
}

function timelineChart(places, writers) {
  const isTimed = places.every((each) => each.time !== null);
  const datasets = POINTS.map(([kind, property, pointStyle, radius]) => ({
    label: named("verdict", kind === "harmless" ? "benign" : kind),
    data: places.filter((each) => each.kind === kind).map((each) => ({ x: isTimed ? each.time : each.place.line, y: each.writer, each })),
    backgroundColor: colour(property), borderColor: colour(property), borderWidth: 2, pointStyle, radius, hoverRadius: radius + 2,
  })).filter((dataset) => dataset.data.length);
  const tick = (value) => (isTimed ? clock(value) : value < 1 || !Number.isInteger(value) ? "" : number(value));
  return { type: "scatter", data: { datasets }, options: {
    scales: {
      x: { type: "linear", grace: "6%", title: { display: true, text: say(isTimed ? "TIME" : "LINE") }, ticks: { maxRotation: 0, autoSkipPadding: 24, callback: tick } },
      y: { type: "category", labels: writers, offset: true, ticks: { callback: (value) => shortened(writers[value], innerWidth < 640 ? 16 : 44) } },
    },
    plugins: {
      legend: { position: "bottom", labels: { usePointStyle: true } },
      tooltip: { callbacks: {
        title: ([point]) => shortened(titleOf(point.raw.each.item), 80),
        label: ({ raw: { each } }) => [`${each.place.source}:${each.place.line}`, each.place.time && shownTime(each.place.time)].filter(Boolean).join("  "),
      } },
    },
  } };
}
