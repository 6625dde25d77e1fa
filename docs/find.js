// Finds pages by the words that are typed. Texts become text nodes only, and nothing is fetched
// but the list of pages that lies beside this file.
"use strict";

const MOST = 60;

function shown(page) {
  const link = document.createElement("a");
  link.href = page.url;
  link.textContent = page.title;
  const item = document.createElement("li");
  item.append(link, document.createElement("br"), page.text.slice(0, 160));
  return item;
}

function matching(pages, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const page of pages) {
    if (!words.every((word) => page.all.includes(word))) continue;
    const head = `${page.title} ${page.url}`.toLowerCase();
    found.push([words.filter((word) => head.includes(word)).length, page]);
  }
  return found.sort((a, b) => b[0] - a[0]).map(([, page]) => page);
}

function start(pages) {
  for (const page of pages) page.all = `${page.title} ${page.url} ${page.text}`.toLowerCase();
  const field = document.getElementById("find-words");
  const find = () => {
    const found = matching(pages, field.value);
    document.getElementById("count").textContent = field.value.trim() ? String(found.length) : "";
    document.getElementById("found").replaceChildren(...found.slice(0, MOST).map(shown));
  };
  field.addEventListener("input", find);
  find();
}

if (document.getElementById("find-words")) {
  const list = document.createElement("script");
  list.src = "find-pages.js"; // a script, because a page from disk may not fetch
  list.onload = () => start(window.LOGDOCTOR_PAGES);
  document.head.append(list);
}
