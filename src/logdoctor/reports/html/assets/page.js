// What both pages share: texts in two languages, elements, copy buttons.
// Whatever comes from a log is set as text or as an attribute, never as markup; the page's policy would refuse it.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const THEMES = ["auto", "light", "dark"];
const settings = { language: remembered("language", ["en", "zh"]) || data.language, theme: remembered("theme", THEMES) || "auto" };

function remembered(name, allowed) {
  try {
    const value = localStorage.getItem(`logdoctor-${name}`);
    return allowed.includes(value) ? value : null;
  } catch {
    return null; // storage is refused, in a sandboxed frame for one
  }
}

function remember(name, value) {
  settings[name] = value;
  try {
    localStorage.setItem(`logdoctor-${name}`, value);
  } catch {
    // it holds as long as the page is open
  }
}

// A text: a string, or one in both languages.
function pick(text) {
  return text !== null && typeof text === "object" ? text[settings.language] : text;
}

function say(name, values = {}) {
  return pick(data.words[name]).replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

function named(vocabulary, value) {
  return pick(data.names[vocabulary][value]) ?? value;
}

function number(value) {
  return value.toLocaleString(settings.language === "zh" ? "zh-CN" : "en-GB");
}

function percent(share) {
  return Math.round(100 * share);
}

function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

// An element with attributes (functions are listeners, null and false are left out) and children (strings are text).
function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

function furnished(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return made;
}

function announce(text) {
  document.getElementById("announcement").textContent = text;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // pages of a plain http server have no clipboard
  }
}

function copyBySelection(text) {
  const field = element("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

function copyButton(text, label) {
  const caption = element("span", {}, say("COPY"));
  const button = element("button", { type: "button", class: "copy", "aria-label": label, title: label, click: async () => {
    const result = say((await copy(text)) ? "COPIED" : "NOT_COPIED");
    caption.textContent = result;
    announce(result);
    button.focus({ preventScroll: true });
    setTimeout(() => { caption.textContent = say("COPY"); }, 1500);
  } }, caption);
  return button;
}

// A link out of the page, where the text is an address of the web; else the text.
function link(address, text = address) {
  return /^https?:\/\//.test(address) ? element("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, text) : text;
}

// A fold whose content is made when it is opened first.
function fold(summary, content, isOpen = false, attributes = {}) {
  const made = element("details", attributes, element("summary", {}, summary));
  const fill = () => { if (made.children.length === 1) made.append(...[content()].flat()); };
  if (isOpen) {
    made.open = true;
    fill();
  }
  made.addEventListener("toggle", fill);
  return made;
}

const AT_ONCE = 25; // things of a list that are shown before it is folded

// What is made of the items: of the first ones at once, of the others in a fold.
function inParts(items, make, count = AT_ONCE) {
  const rest = items.slice(count);
  return [make(items.slice(0, count)), rest.length > 0 && fold(say("MORE_ROWS", { count: number(rest.length) }), () => inParts(rest, make, count))].flat().filter(Boolean);
}

function table(caption, heads, rows, attributes = {}) {
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    element("table", attributes,
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows.map((cells) => element("tr", {}, cells.map((cell) => element("td", {}, cell)))))));
}

// Draws the page anew in the language and colours that hold now.
function draw() {
  root.lang = settings.language === "zh" ? "zh-CN" : "en";
  if (settings.theme === "auto") root.removeAttribute("data-theme");
  else root.dataset.theme = settings.theme;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
  const language = document.getElementById("switch-language");
  language.textContent = say("SWITCH_LANGUAGE");
  language.setAttribute("aria-label", say("SWITCH_LANGUAGE_LABEL"));
  language.lang = settings.language === "zh" ? "en" : "zh-CN";
  const theme = document.getElementById("switch-theme");
  theme.textContent = { auto: "◐", light: "☀", dark: "☾" }[settings.theme];
  theme.setAttribute("aria-label", say(`THEME_${settings.theme.toUpperCase()}`));
  theme.title = say(`THEME_${settings.theme.toUpperCase()}`);
  document.getElementById("page").replaceChildren();
  drawPage(document.getElementById("page"));
}

document.getElementById("switch-language").addEventListener("click", () => {
  remember("language", settings.language === "en" ? "zh" : "en");
  draw();
});
document.getElementById("switch-theme").addEventListener("click", () => {
  remember("theme", THEMES[(THEMES.indexOf(settings.theme) + 1) % THEMES.length]);
  draw();
  announce(say(`THEME_${settings.theme.toUpperCase()}`));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (settings.theme === "auto") draw(); });
document.addEventListener("DOMContentLoaded", draw);
