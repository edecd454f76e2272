"use strict";
(() => {
  // Text reaches the page only as nodes that the parser made or as textContent.
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const views = all("[data-view]");
  const table = one("#cells");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const given = rows.slice();
  const panel = one("#panel");
  const filters = one("#filters");
  const META = 4; // the columns before the first provision
  const columns = all("thead th.pv", table).map((head) => head.textContent);
  const provisions = all('input[name="provision"]', filters);
  const ids = JSON.parse(table.dataset.provisions || "[]");

  const link = (row, column) => row.cells[column + META]?.firstElementChild;
  const place = (anchor) => {
    const [, document_, column] = anchor.getAttribute("href").split("-").map(Number);
    return { row: given[document_], number: document_, column };
  };
  const say = (words) => { one("#said").textContent = words; };

  /* Parts of the report */
  function show(view) {
    for (const each of views) each.classList.toggle("on", each === view);
    for (const each of all(".bar nav a")) {
      if (each.hash === `#${view.id}`) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
  }

  function decoded(words) {
    try { return decodeURIComponent(words); } catch { return words; }
  }

  function route() {
    const hash = decoded(location.hash.slice(1));
    if (hash.startsWith("cell=")) {
      const row = given.find((each) => hash.startsWith(`cell=${each.dataset.id}:`));
      const column = row ? ids.indexOf(hash.slice(6 + row.dataset.id.length)) : -1;
      if (!views.some((view) => view.classList.contains("on"))) show(one("#grid"));
      if (column >= 0) open(link(row, column));
      else say("This report has no such cell.");
      return;
    }
    if (!panel.hidden) close(false);
    const target = hash ? document.getElementById(hash) : null;
    const view = target?.closest("[data-view]") || views[0];
    const changed = !view.classList.contains("on");
    show(view);
    if (!target || target === view) { if (changed) scrollTo(0, 0); return; }
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }

  /* The panel */
  let opened = null;
  let back = null;

  function fill(anchor) {
    const { number, column, row } = place(anchor);
    const article = document.getElementById(`f-${number}-${column}`).cloneNode(true);
    for (const shared of all(".shared", article)) {
      const whole = document.getElementById(shared.dataset.clause).cloneNode(true);
      for (const mark of all("mark", whole)) {
        const quoted = mark.dataset.p.split(" ").includes(String(column));
        mark.classList.toggle("other", !quoted);
      }
      shared.replaceWith(whole);
    }
    for (const candidate of all("details.candidate", article)) candidate.open = true;
    article.removeAttribute("id");
    for (const each of all("[id]", article)) each.removeAttribute("id");
    const source = document.createElement("p");
    source.className = "source";
    const name = document.createElement("a");
    name.href = `#d-${number}`;
    name.textContent = "All findings of this document";
    const path = document.createElement("bdi");
    path.textContent = one(".path", document.getElementById(`d-${number}`)).textContent;
    source.append(path, document.createElement("br"), name);
    one("#panel-title").textContent = columns[column];
    one("#panel-document").textContent = row.dataset.name;
    const room = one("#panel-body");
    room.replaceChildren(article, source);
    room.scrollTop = 0;
    const first = one("mark:not(.other)", article);
    if (first) {
      const over = first.getBoundingClientRect().bottom - room.getBoundingClientRect().bottom;
      if (over > 0) room.scrollTop = over + 120;
    }
  }

  function open(anchor) {
    if (!anchor) return;
    opened?.classList.remove("here");
    opened = anchor;
    back ??= document.activeElement;
    anchor.classList.add("here");
    panel.hidden = false;
    document.documentElement.classList.add("has-panel");
    fill(anchor);
    if (one("#grid").classList.contains("on")) {
      current(anchor, false);
      anchor.scrollIntoView({ block: "nearest", inline: "nearest" });
      uncover(anchor);
    }
    panel.focus({ preventScroll: true });
    const { row, column } = place(anchor);
    const hash = `#cell=${encodeURIComponent(row.dataset.id)}:${encodeURIComponent(ids[column])}`;
    if (location.hash !== hash) history.replaceState(null, "", hash);
    say(`${columns[column]}, ${row.dataset.name}: ${one("b", anchor).textContent}`);
  }

  // The sticky first column and the panel cover parts of the scroller.
  function uncover(anchor) {
    const scroller = one(".scroller");
    const box = anchor.getBoundingClientRect();
    const left = one("th.doc", table).getBoundingClientRect().right;
    const right = panel.hidden ? Infinity : panel.getBoundingClientRect().left;
    if (box.left < left) scroller.scrollLeft -= left - box.left;
    else if (box.right > right) scroller.scrollLeft += box.right - right + 8;
    const top = table.tHead.getBoundingClientRect().bottom;
    if (box.top < top) scroller.scrollTop -= top - box.top;
  }

  function close(focus = true) {
    panel.hidden = true;
    document.documentElement.classList.remove("has-panel");
    opened?.classList.remove("here");
    const view = views.find((each) => each.classList.contains("on"));
    if (location.hash.startsWith("#cell=")) history.replaceState(null, "", `#${view.id}`);
    if (focus) {
      const to = view.id === "grid" ? opened : back;
      (to?.isConnected ? to : one("#grid")).focus?.();
    }
    opened = back = null;
  }

  function step(by) {
    const visible = [];
    for (const row of rows) {
      if (row.hidden) continue;
      for (const column of columns.keys()) {
        const anchor = link(row, column);
        if (anchor.parentElement.hidden || anchor.classList.contains("dim")) continue;
        if (anchor.classList.contains("none") && anchor !== at) continue;
        visible.push(anchor);
      }
    }
    if (!visible.length) { say("No finding fits these filters."); return; }
    const from = visible.indexOf(opened || at);
    const next = from < 0 ? (by > 0 ? 0 : visible.length - 1) : from + by;
    if (next < 0 || next >= visible.length) { say(by > 0 ? "That was the last finding." : "That was the first finding."); return; }
    if (!one("#grid").classList.contains("on") && panel.hidden) show(one("#grid"));
    open(visible[next]);
  }

  /* Moving in the grid */
  let at = null;

  function current(anchor, focus = true) {
    if (at) at.tabIndex = -1;
    at = anchor;
    at.tabIndex = 0;
    if (focus) { at.focus({ preventScroll: true }); at.scrollIntoView({ block: "nearest", inline: "nearest" }); uncover(at); }
  }

  function move(event) {
    const anchor = event.target.closest?.("td > a");
    if (!anchor || event.altKey || event.metaKey) return false;
    const visible = rows.filter((row) => !row.hidden);
    const shown = [...columns.keys()].filter((column) => provisions[column].checked);
    let { row, column } = place(anchor);
    let y = visible.indexOf(row), x = shown.indexOf(column);
    const last = shown.length - 1, end = visible.length - 1;
    switch (event.key) {
      case "ArrowRight": x += 1; break;
      case "ArrowLeft": x -= 1; break;
      case "ArrowDown": y += 1; break;
      case "ArrowUp": y -= 1; break;
      case "Home": x = 0; if (event.ctrlKey) y = 0; break;
      case "End": x = last; if (event.ctrlKey) y = end; break;
      case "PageDown": y += 10; break;
      case "PageUp": y -= 10; break;
      default: return false;
    }
    const to = link(visible[Math.min(Math.max(y, 0), end)], shown[Math.min(Math.max(x, 0), last)]);
    if (to) current(to);
    return true;
  }

  /* Filters and order */
  let haystack = null;

  function words(number) {
    haystack ??= new Map();
    if (!haystack.has(number)) {
      const section = document.getElementById(`d-${number}`);
      const quotes = all("article", section).map((article) => ({
        column: Number(article.id.split("-")[2]),
        words: all("mark:not(.other), .claim", article).map((each) => each.textContent).join(" ").replace(/\s+/g, " ").toLowerCase(),
      }));
      const data = given[number].dataset;
      const head = [data.name, data.type, data.law, one(".doc", given[number]).textContent, one(".path", section).textContent].join(" ").toLowerCase();
      haystack.set(number, { head, quotes });
    }
    return haystack.get(number);
  }

  const chosen = (name) => new Set(all(`input[name="${name}"]:checked`, filters).map((input) => input.value));

  function fits(anchor, looks, states) {
    const list = anchor.classList;
    const graded = ["high", "medium", "to_read", "low"].find((each) => list.contains(each)) || "";
    const state = list.contains("failed") ? "failed" : list.contains("apart") ? "to_read" : list.contains("none") || list.contains("absent") ? "not_found" : "found";
    return (!looks.size || looks.has(graded)) && (!states.size || states.has(state));
  }

  function sift() {
    const looks = chosen("look"), states = chosen("state");
    const query = one("#q").value.trim().replace(/\s+/g, " ").toLowerCase();
    const type = one("#type").value;
    const shown = [...columns.keys()].filter((column) => provisions[column].checked);
    let documents = 0, cells = 0;
    given.forEach((row, number) => {
      const known = query ? words(number) : null;
      const whole = !query || known.head.includes(query);
      const quoting = whole ? null : new Set(known.quotes.filter((each) => each.words.includes(query)).map((each) => each.column));
      let some = 0;
      for (const column of columns.keys()) {
        const anchor = link(row, column);
        const fit = provisions[column].checked && fits(anchor, looks, states) && (whole || quoting.has(column));
        anchor.classList.toggle("dim", !fit);
        if (fit) some += 1;
      }
      row.hidden = !some || (type !== "" && row.dataset.type !== type);
      if (!row.hidden) { documents += 1; cells += some; }
    });
    all("thead th.pv", table).forEach((head, column) => { head.hidden = !provisions[column].checked; });
    for (const row of rows) for (const column of columns.keys()) row.cells[column + META].hidden = !provisions[column].checked;
    for (const cell of all(".unread td", table)) cell.colSpan = shown.length + META - 1;
    const narrowed = looks.size || states.size || query;
    const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
    one("#shown").textContent = count(documents, "document") + (narrowed ? `, ${count(cells, "cell")}` : "");
    one("#nothing").hidden = documents > 0;
    const first = rows.find((row) => !row.hidden);
    if (first && shown.length && (!at || at.parentElement.hidden || place(at).row.hidden)) current(link(first, shown[0]), false);
  }

  const collate = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;

  function sort(key, down = false) {
    const rank = (row) => row.dataset[key] || "";
    rows.splice(0, rows.length, ...given);
    if (key === "risk") rows.sort((a, b) => Number(rank(b)) - Number(rank(a)));
    else if (key !== "given") {
      // What is not known comes last, whichever way the rest goes.
      rows.sort((a, b) => (!rank(a) - !rank(b)) || (down ? -1 : 1) * collate(rank(a), rank(b)));
    }
    body.append(...rows);
    for (const head of all("thead th[aria-sort]", table)) {
      const mine = one("button", head).dataset.sort === key;
      head.setAttribute("aria-sort", mine ? (down ? "descending" : "ascending") : "none");
    }
    one("#order").value = key;
  }

  function reset() {
    filters.reset();
    sort("given");
    sift();
  }

  /* On paper no red flag is folded away */
  const folded = () => [...document.querySelectorAll(".flags details:not([open])")];
  let unfolded = [];
  addEventListener("beforeprint", () => { unfolded = folded(); unfolded.forEach((each) => { each.open = true; }); });
  addEventListener("afterprint", () => { unfolded.forEach((each) => { each.open = false; }); unfolded = []; });

  /* What a person does */
  const actions = {
    print: () => print(),
    help: () => one("#help").showModal(),
    close: () => close(),
    next: () => step(1),
    previous: () => step(-1),
    reset,
    all: () => { provisions.forEach((each) => { each.checked = true; }); sift(); },
    no: () => { provisions.forEach((each) => { each.checked = false; }); sift(); },
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.do) { actions[button.dataset.do](); return; }
    if (button?.dataset.sort) {
      sort(button.dataset.sort, button.closest("th").getAttribute("aria-sort") === "ascending");
      return;
    }
    const anchor = event.target.closest('a[href^="#f-"]');
    if (anchor && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      const { row, column } = place(anchor);
      back = anchor;
      open(link(row, column));
      return;
    }
    const pick = one(".pick");
    if (pick.open && !event.target.closest(".pick")) pick.open = false;
  });

  document.addEventListener("keydown", (event) => {
    if (one("#help").open) return;
    const typing = event.target.matches?.('input[type="search"], select, input[type="text"]');
    if (event.key === "Escape") {
      if (one(".pick").open) one(".pick").open = false;
      else if (!panel.hidden) close();
      else if (typing && event.target.value) { event.target.value = ""; sift(); }
      return;
    }
    if (typing || event.ctrlKey && !["Home", "End"].includes(event.key) || event.metaKey) return;
    if (move(event)) event.preventDefault();
    else if (event.key === "/") { event.preventDefault(); if (!panel.hidden) close(false); show(one("#grid")); one("#q").focus(); }
    else if (event.key === "?") actions.help();
    else if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
  });

  let waiting = 0;
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("input", (event) => {
    if (event.target.id === "order") { sort(event.target.value); return; }
    clearTimeout(waiting);
    waiting = setTimeout(sift, event.target.id === "q" ? 120 : 0);
  });
  table.addEventListener("focusin", (event) => {
    const anchor = event.target.closest("td > a");
    if (anchor && anchor !== at) current(anchor, false);
  });
  addEventListener("hashchange", route);

  for (const name of columns.keys()) table.tHead.rows[0].cells[name + META].title = columns[name];
  if (rows.length && columns.length) current(link(rows[0], 0), false);
  document.documentElement.classList.add("ready");
  route();
})();
