// Charts as SVG: axes, bars in stacks, marks. Colours stand in the styles, so that a theme needs no new drawing; what stands
// in a chart comes from a log and is set as text.

const SVG = "http://www.w3.org/2000/svg";
const LETTER = 6.4; // columns that a letter of an axis takes about; those of Chinese take nearly two
const AXIS = 22; // rows that the labels below a chart take

function shape(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}

function columnsOf(text) {
  return [...text].reduce((sum, each) => sum + (each > "\u2e80" ? 1.8 : 1), 0) * LETTER;
}

// A box whose chart is drawn by its width, now and when that changes.
function chart(height, attributes, draw) {
  const box = element("div", { ...attributes, class: `chart ${attributes.class ?? ""}`.trim() });
  box.style.height = `${height}px`;
  let width = 0;
  box.redraw = () => { if (width) box.replaceChildren(...[draw(width, box)].flat()); };
  new ResizeObserver(() => {
    if (!box.clientWidth || box.clientWidth === width) return;
    width = box.clientWidth;
    box.redraw();
  }).observe(box);
  return box;
}

// From a range of values to one of pixels.
function scale(low, high, from, to) {
  const factor = high > low ? (to - from) / (high - low) : 0;
  return (value) => (factor ? from + (value - low) * factor : (from + to) / 2);
}

// Round values in a range, ascending, about as many.
function ticks(low, high, count, isWhole = false) {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const least = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(isWhole ? 1 : 0, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * 0.999));
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function short(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return Number(value.toPrecision(4)).toLocaleString(settings.language === "zh" ? "zh-CN" : "en-GB", { maximumSignificantDigits: 4 });
}

// A drawing of that size; what it shows is told by its label, and stands in a table as well.
function drawing(width, height, label, ...children) {
  return shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, children);
}

function lineShape(x1, y1, x2, y2, className) {
  return shape("line", { x1, y1, x2, y2, class: className });
}

function label(text, x, y, anchor = "start", className = "tick") {
  return shape("text", { x, y, "text-anchor": anchor, class: className }, text);
}

// Labels below a chart: those that have room.
function below(places, y, right) {
  let end = -Infinity;
  return places.map(([text, x]) => {
    const half = columnsOf(text) / 2;
    const middle = Math.min(x, right + 12 - half);
    if (middle - half < end + 12) return null;
    end = middle + half;
    return label(text, middle, y, "middle");
  });
}

// Bars, upright or lying; each is a stack of its groups: {label, values, className, choose}.
function bars({ labels, groups, isUpright, height, name }) {
  return chart(height, { class: "bars" }, (width, box) => {
    const totals = labels.map((_, i) => groups.reduce((sum, each) => sum + each.values[i], 0));
    const most = Math.max(1, ...totals);
    const marks = ticks(0, most, isUpright ? 5 : width / 90, true);
    const left = Math.ceil(Math.max(...(isUpright ? marks.map(short) : labels).map(columnsOf))) + 10;
    const [right, bottom] = [width - 14, height - AXIS];
    const band = (isUpright ? right - left : bottom - 6) / labels.length;
    const size = Math.min(band * 0.86, isUpright ? 60 : 22);
    const value = isUpright ? scale(0, most, bottom, 8) : scale(0, most, left, right);
    const middle = (i) => (isUpright ? left : 6) + band * (i + 0.5);
    const tip = tipOf(box);
    const tell = (i) => [labels[i], ...groups.filter((each) => each.values[i]).map((each) => `${each.label}: ${number(each.values[i])}`)];
    const bar = (group, i, from) => {
      const [one, other] = [value(from), value(from + group.values[i])];
      const place = isUpright ? { x: middle(i) - size / 2, y: other, width: size, height: one - other } : { x: one, y: middle(i) - size / 2, width: other - one, height: size };
      return shape("rect", { ...place, class: `bar ${group.className}${group.choose ? " can-choose" : ""}`, click: group.choose,
        pointermove: (event) => tip.show(tell(i), event), pointerleave: tip.hide });
    };
    const stacks = labels.map((_, i) => {
      let from = 0;
      return groups.filter((each) => each.values[i]).map((each) => {
        const made = bar(each, i, from);
        from += each.values[i];
        return made;
      });
    });
    const lines = marks.map((each) => (isUpright ? lineShape(left, value(each), right, value(each), "grid") : lineShape(value(each), 6, value(each), bottom, "grid")));
    const figures = isUpright ? marks.map((each) => label(number(each), left - 6, value(each) + 4, "end")) : below(marks.map((each) => [number(each), value(each)]), height - 5, right);
    const names = isUpright ? below(labels.map((each, i) => [each, middle(i)]), height - 5, right) : labels.map((each, i) => label(each, left - 6, middle(i) + 4, "end"));
    return [drawing(width, height, name, lines, stacks, figures, names), tip.element];
  });
}

// What colours and marks mean: [text, class of the swatch, listener].
function legend(entries) {
  return element("ul", { class: "legend" }, entries.map(([text, className, choose]) => element("li", {}, swatch(className),
    choose ? element("button", { type: "button", class: "as-link", click: choose }, text) : text)));
}

function swatch(className) {
  return shape("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
    className in MARKS_DRAWN ? mark(className, 0, 0, 5) : shape("rect", { x: -6, y: -6, width: 12, height: 12, rx: 3, class: `bar ${className}` }));
}

const MARKS_DRAWN = {
  root_cause: (r) => `M0,${-r}L${r},0L0,${r}L${-r},0Z`,
  consequence: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
  independent: (r) => `M0,${-r}L${r},${r * 0.8}L${-r},${r * 0.8}Z`,
  harmless: (r) => `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`,
  completed: (r) => square(r),
  started: (r) => `${square(r)}${square(r - 1.5)}M${1.5 - r},${1.5 - r}V${r - 1.5}H${r - 1.5}Z`,
  scheduled: (r) => `${square(r)}${square(r - 1.5)}${square(r / 3)}`,
  different: (r) => `M0,${-r}L${r},0L0,${r}L${-r},0Z`,
  never_came: (r) => square(r - 0.5),
  not_kept: (r) => square(1.5),
  no_dump: (r) => `M${-r * 0.7},0H${r * 0.7}`,
};

function square(r) {
  return `M${-r},${-r}H${r}V${r}H${-r}Z`;
}

// A mark of that kind.
function mark(kind, x, y, size, attributes = {}) {
  return shape("path", { d: MARKS_DRAWN[kind](size), transform: `translate(${x},${y})`, class: `mark-${kind}`, ...attributes });
}

// What stands beside the pointer: a few lines of text, within the box.
function tipOf(box) {
  const made = element("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  const show = (lines, event) => {
    const around = box.getBoundingClientRect();
    made.replaceChildren(...lines.map((each) => element("div", {}, each)));
    made.hidden = false;
    const [x, y] = [event.clientX - around.left, event.clientY - around.top];
    made.style.left = `${Math.max(0, Math.min(x + 14, around.width - made.offsetWidth))}px`;
    made.style.top = `${y + 14 + made.offsetHeight > around.height ? Math.max(0, y - made.offsetHeight - 10) : y + 14}px`;
  };
  return { element: made, show, hide: () => { made.hidden = true; } };
}
