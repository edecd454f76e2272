// A small Word for tests, in the place of Office.js: it holds a real .docx as XML, answers the calls
// that the pane makes as Word's documentation describes them, and saves a real .docx.
//
// It is strict where Word is: a property must be loaded and a result awaited before it is read. It is
// awkward where Word may be: a search finds deleted words, too, and no words with deleted ones in
// their midst. It computes no numbers, lays nothing out, and knows no co-authors.
"use strict";
(() => {
  const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const XML = "http://www.w3.org/XML/1998/namespace";
  const R = "http://schemas.openxmlformats.org/package/2006/relationships";
  const T = "http://schemas.openxmlformats.org/package/2006/content-types";
  const COMMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments";
  const COMMENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";
  const DATE = "2026-01-02T03:04:00Z";
  const CHARACTERS = { tab: "\t", br: "\v", cr: "\v", noBreakHyphen: "\u001e", footnoteReference: "\u0002", endnoteReference: "\u0002" };

  // Files

  async function unzip(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let end = bytes.length - 22;
    while (view.getUint32(end, true) !== 0x06054b50) end -= 1;
    const parts = new Map();
    let at = view.getUint32(end + 16, true);
    for (let count = view.getUint16(end + 10, true); count; count -= 1) {
      const [method, size, named, extra, noted] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true)];
      const local = view.getUint32(at + 42, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named));
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const packed = bytes.subarray(from, from + size);
      const data = method ? await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer() : packed;
      parts.set(name, new Uint8Array(data));
      at += 46 + named + extra + noted;
    }
    return parts;
  }

  function crc32(bytes) {
    let crc = ~0;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
  }

  function zip(parts) {
    const [files, entries] = [[], []];
    let at = 0;
    for (const [name, data] of parts) {
      const named = new TextEncoder().encode(name);
      const [head, entry] = [new DataView(new ArrayBuffer(30)), new DataView(new ArrayBuffer(46))];
      const crc = crc32(data);
      for (const [part, by] of [[head, 0], [entry, 2]]) {
        part.setUint16(4 + by, 20, true);
        part.setUint32(14 + by, crc, true);
        part.setUint32(18 + by, data.length, true);
        part.setUint32(22 + by, data.length, true);
        part.setUint16(26 + by, named.length, true);
      }
      head.setUint32(0, 0x04034b50, true);
      entry.setUint32(0, 0x02014b50, true);
      entry.setUint16(4, 20, true);
      entry.setUint32(42, at, true);
      files.push(new Uint8Array(head.buffer), named, data);
      entries.push(new Uint8Array(entry.buffer), named);
      at += 30 + named.length + data.length;
    }
    const size = entries.reduce((sum, each) => sum + each.length, 0);
    const end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054b50, true);
    end.setUint16(8, parts.size, true);
    end.setUint16(10, parts.size, true);
    end.setUint32(12, size, true);
    end.setUint32(16, at, true);
    const all = [...files, ...entries, new Uint8Array(end.buffer)];
    const made = new Uint8Array(all.reduce((sum, each) => sum + each.length, 0));
    all.reduce((place, each) => { made.set(each, place); return place + each.length; }, 0);
    return made;
  }

  const read = (name) => new DOMParser().parseFromString(new TextDecoder().decode(host.parts.get(name)), "application/xml");
  const write = (name, xml) => host.parts.set(name, new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${new XMLSerializer().serializeToString(xml.documentElement)}`));

  // The document: each run is cut into runs of one character, so that a place is a run

  const make = (name, attributes = {}) => {
    const made = host.xml.createElementNS(W, `w:${name}`);
    for (const [key, value] of Object.entries(attributes)) made.setAttributeNS(W, `w:${key}`, value);
    return made;
  };
  const is = (node, ...names) => node?.namespaceURI === W && names.includes(node.localName);
  const child = (node, name) => [...(node?.children ?? [])].find((each) => is(each, name));
  const above = (node, ...names) => { let at = node.parentElement; while (at && !is(at, ...names)) at = at.parentElement; return at; };
  const all = (node, name) => [...node.getElementsByTagNameNS(W, name)];
  const signed = () => ({ id: String(host.nextId++), author: host.author, date: DATE });

  function cutRuns() {
    for (const run of all(host.xml, "r")) {
      const contents = [...run.children].filter((each) => !is(each, "rPr"));
      const pieces = contents.flatMap((each) => (is(each, "t", "delText") ? [...each.textContent].map((letter) => typed(each.localName, letter)) : [each]));
      if (pieces.length < 2) continue;
      run.replaceWith(...pieces.map((piece) => {
        const made = make("r");
        const look = child(run, "rPr");
        if (look) made.append(look.cloneNode(true));
        made.append(piece);
        return made;
      }));
    }
  }

  function typed(name, words) {
    const made = make(name);
    made.setAttributeNS(XML, "xml:space", "preserve");
    made.textContent = words;
    return made;
  }

  function joinRuns() {
    for (const run of all(host.xml, "r")) {
      const before = run.previousElementSibling;
      const [one, other] = [before, run].map((each) => is(each, "r") && [...each.children].filter((part) => !is(part, "rPr")));
      const look = (each) => { const found = child(each, "rPr"); return found ? new XMLSerializer().serializeToString(found) : ""; };
      if (!one || one.length !== 1 || other.length !== 1 || one[0].localName !== other[0].localName || !is(one[0], "t", "delText") || look(before) !== look(run)) continue;
      other[0].textContent = one[0].textContent + other[0].textContent;
      before.remove();
    }
  }

  const content = (run) => [...run.children].find((each) => !is(each, "rPr"));
  const letter = (run) => { const held = content(run); return is(held, "t", "delText") ? held.textContent : CHARACTERS[held?.localName] ?? ""; };
  const isGone = (run) => Boolean(above(run, "del", "moveFrom"));
  const isNew = (run) => Boolean(above(run, "ins", "moveTo"));
  const paragraphs = () => all(child(host.xml.documentElement, "body"), "p").filter((each) => !above(each, "txbxContent"));
  const runsOf = (paragraph) => all(paragraph, "r").filter((each) => above(each, "p") === paragraph && letter(each));
  const words = (runs, version) => runs.filter((each) => (version === "Current" ? !isGone(each) : version === "Original" ? !isNew(each) : true)).map(letter).join("");

  // A place is a paragraph and the run that is before it; a range is two places
  const START = null;
  const order = (one, other) => {
    if (one.paragraph !== other.paragraph) return one.paragraph.compareDocumentPosition(other.paragraph) & 4 ? -1 : 1;
    const runs = runsOf(one.paragraph);
    return runs.indexOf(one.run) - runs.indexOf(other.run);
  };
  const within = (range) => {
    const held = range.start.paragraph === range.end.paragraph ? [range.start.paragraph] : paragraphs();
    const [first, last] = [held.indexOf(range.start.paragraph), held.indexOf(range.end.paragraph)];
    return held.slice(first, last + 1).flatMap((paragraph) => {
      const runs = runsOf(paragraph);
      const from = paragraph === range.start.paragraph ? runs.indexOf(range.start.run) + 1 : 0;
      return runs.slice(from, paragraph === range.end.paragraph ? runs.indexOf(range.end.run) + 1 : runs.length);
    });
  };
  const whole = (paragraph) => ({ start: { paragraph, run: START }, end: { paragraph, run: runsOf(paragraph).at(-1) ?? START } });

  function search(paragraph, query) {
    const wanted = query.replace(/\^(.)/g, (_, sign) => ({ t: "\t", l: "\v", s: "\u00a0", "~": "\u001e", "^": "^" })[sign] ?? sign);
    if (query.length > 255) throw new Error("SearchStringInvalidOrTooLong");
    const runs = runsOf(paragraph);
    const text = runs.map(letter).join("");
    const found = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      found.push({ start: { paragraph, run: runs[at - 1] ?? START }, end: { paragraph, run: runs[at + wanted.length - 1] } });
    }
    return found;
  }

  // Puts nodes after a run: behind a mark of a change around it, which is cut in two.
  function after({ paragraph, run }, nodes) {
    if (!run) { (child(paragraph, "pPr") ?? null) ? child(paragraph, "pPr").after(...nodes) : paragraph.prepend(...nodes); return; }
    let at = run;
    for (let mark = above(at, "ins", "del", "moveFrom", "moveTo"); mark; mark = above(at, "ins", "del", "moveFrom", "moveTo")) {
      const rest = mark.cloneNode(false);
      while (at.nextSibling) rest.append(at.nextSibling);
      if (rest.firstChild) mark.after(rest);
      at = mark;
    }
    at.after(...nodes);
  }

  function insert(place, text, look) {
    const runs = [...text].map((each) => {
      const run = make("r");
      if (look) run.append(look.cloneNode(true));
      run.append(each === "\t" ? make("tab") : each === "\n" ? make("br") : typed("t", each));
      return run;
    });
    if (!runs.length) return { start: place, end: place };
    if (host.tracking === "Off") after(place, runs);
    else {
      const mark = make("ins", signed());
      mark.append(...runs);
      after(place, [mark]);
    }
    return { start: place, end: { paragraph: place.paragraph, run: runs.at(-1) } };
  }

  function remove(range) {
    for (const run of within(range).filter((each) => !isGone(each))) {
      const mine = above(run, "ins")?.getAttributeNS(W, "author") === host.author;
      if (host.tracking === "Off" || mine) { run.remove(); continue; }
      const before = run.previousElementSibling;
      const joins = is(before, "del") && before.getAttributeNS(W, "author") === host.author && before.getAttributeNS(W, "date") === DATE;
      const mark = joins ? before : make("del", signed());
      if (!joins) run.before(mark);
      mark.append(run);
      const held = content(run);
      if (is(held, "t")) held.replaceWith(typed("delText", held.textContent));
    }
  }

  const lookOf = (range) => child(within(range).at(-1) ?? range.end.run ?? runsOf(range.end.paragraph)[0], "rPr");

  function insertAt(range, text, where) {
    const look = lookOf(range);
    if (where === "Replace") {
      const { end } = range;
      remove(range);
      return insert(end.run?.isConnected ? end : range.start, text, look);
    }
    if (!["Start", "End"].includes(where)) throw new Error("InvalidArgument");
    return insert(where === "Start" ? range.start : range.end, text, look);
  }

  function addParagraph(paragraph, text) {
    const made = make("p");
    const look = child(paragraph, "pPr")?.cloneNode(true) ?? make("pPr");
    child(look, "sectPr")?.remove();
    child(look, "rPr")?.remove();
    if (host.tracking !== "Off") {
      const mark = make("rPr");
      mark.append(make("ins", signed()));
      look.append(mark);
    }
    made.append(look);
    paragraph.after(made);
    if (text) insert({ paragraph: made, run: START }, text, null);
    return made;
  }

  function comment(range, text) {
    const name = "word/comments.xml";
    if (!host.parts.has(name)) {
      host.parts.set(name, new TextEncoder().encode(`<w:comments xmlns:w="${W}"/>`));
      const relations = read("word/_rels/document.xml.rels");
      const relation = relations.createElementNS(R, "Relationship");
      for (const [key, value] of [["Id", "rIdComments"], ["Type", COMMENTS], ["Target", "comments.xml"]]) relation.setAttribute(key, value);
      relations.documentElement.append(relation);
      write("word/_rels/document.xml.rels", relations);
      const types = read("[Content_Types].xml");
      const type = types.createElementNS(T, "Override");
      type.setAttribute("PartName", `/${name}`);
      type.setAttribute("ContentType", COMMENT_TYPE);
      types.documentElement.append(type);
      write("[Content_Types].xml", types);
    }
    const comments = read(name);
    const id = String(1 + Math.max(-1, ...all(comments, "comment").map((each) => Number(each.getAttributeNS(W, "id")))));
    const made = comments.importNode(make("comment", { id, author: host.author, date: DATE, initials: "A" }), true);
    for (const line of text.split("\n")) {
      const [paragraph, run] = [comments.createElementNS(W, "w:p"), comments.createElementNS(W, "w:r")];
      run.append(comments.importNode(typed("t", line), true));
      paragraph.append(run);
      made.append(paragraph);
    }
    comments.documentElement.append(made);
    write(name, comments);
    const runs = within(range);
    const [first, last] = runs.length ? [runs[0], runs.at(-1)] : [range.end.run, range.end.run];
    const paragraph = first ? above(first, "p") : range.end.paragraph;
    const reference = make("r");
    reference.append(make("commentReference", { id }));
    after(last ? { paragraph: above(last, "p"), run: last } : range.end, [make("commentRangeEnd", { id }), reference]);
    const held = runsOf(paragraph);
    after({ paragraph, run: first ? held[held.indexOf(first) - 1] ?? START : START }, [make("commentRangeStart", { id })]);
  }

  const marks = (range) => [...new Set(within(range).map((run) => above(run, "ins", "del")).filter(Boolean))].flatMap((mark) => {
    const outer = above(mark, "ins");
    return outer ? [mark, outer] : [mark];
  });

  function resolve(mark, stays) {
    if (is(mark, stays)) mark.replaceWith(...mark.childNodes);
    else mark.remove();
    if (stays === "del") all(host.xml, "delText").filter((each) => !above(each, "del")).forEach((each) => each.replaceWith(typed("t", each.textContent)));
  }

  // Word's objects: what they do waits for `sync`, what they say is read once it was loaded

  class Thing {
    constructor(context, find) {
      this.context = context;
      this._loaded = {};
      context._queue.push(() => { this._value = find(); this.isNullObject = this._value === null; });
    }
    _later(work) { this.context._queue.push(work); return this; }
    _result(work) {
      let [done, value] = [false];
      this.context._queue.push(() => { value = work(); done = true; });
      return { get value() { if (!done) throw new Error("ValueNotLoaded"); return value; } };
    }
    load(names) {
      return this._later(() => { if (this._value !== null) for (const name of names.split(",")) this._load(name.trim()); });
    }
    _load(name) {
      if (!(name in this.constructor.says)) throw new Error(`InvalidArgument: ${name}`);
      this._loaded[name] = this.constructor.says[name](this._value);
    }
    static give(says, sets = {}) {
      this.says = says;
      for (const name of Object.keys(says)) {
        Object.defineProperty(this.prototype, name, {
          get() { if (!(name in this._loaded)) throw new Error(`PropertyNotLoaded: ${name}`); return this._loaded[name]; },
          set(value) { if (!sets[name]) throw new Error(`ReadOnly: ${name}`); this._later(() => sets[name](this._value, value)); },
        });
      }
    }
  }

  class Items extends Thing {
    constructor(context, find, kind) { super(context, find); this._kind = kind; }
    load(names) {
      return this._later(() => {
        this._items = this._value.map((each) => { const made = new this._kind(this.context, () => each); made._value = each; return made; });
        for (const name of names.split(",").map((each) => each.trim()).filter((each) => each.startsWith("items/"))) for (const each of this._items) each._load(name.slice(6));
      });
    }
    get items() { if (!this._items) throw new Error("PropertyNotLoaded: items"); return this._items; }
    _one(at) { return new this._kind(this.context, () => { const found = this._value.at(at); if (!found) throw new Error("ItemNotFound"); return found; }); }
    getFirst() { return this._one(0); }
    getLast() { return this._one(-1); }
  }

  class Font extends Thing {}
  const FORMATS = { bold: "b", italic: "i", underline: "u" };
  Font.give(
    Object.fromEntries(Object.entries(FORMATS).map(([name, tag]) => [name, (range) => {
      const look = lookOf(range);
      const found = child(look, tag);
      return name === "underline" ? (found ? "Single" : "None") : Boolean(found);
    }])),
    Object.fromEntries(Object.entries(FORMATS).map(([name, tag]) => [name, (range, value) => {
      for (const run of within(range)) {
        let look = child(run, "rPr");
        if (!look) { look = make("rPr"); run.prepend(look); }
        child(look, tag)?.remove();
        if (value && value !== "None") look.prepend(make(tag, tag === "u" ? { val: "single" } : {}));
      }
    }])),
  );

  class Change extends Thing {
    accept() { this._later(() => resolve(this._value, "ins")); }
    reject() { this._later(() => resolve(this._value, "del")); }
  }
  Change.give({
    author: (mark) => mark.getAttributeNS(W, "author"),
    type: (mark) => (is(mark, "ins") ? "Added" : "Deleted"),
    text: (mark) => all(mark, "r").map(letter).join(""),
  });

  class Range extends Thing {
    get _range() { return this._value; }
    get font() { return (this._font ??= new Font(this.context, () => this._range)); }
    get paragraphs() { return new Items(this.context, () => paragraphs().filter((each) => order({ paragraph: each, run: runsOf(each).at(-1) ?? START }, this._range.start) >= 0 && order({ paragraph: each, run: START }, this._range.end) <= 0), Paragraph); }
    getReviewedText(version) { return this._result(() => words(within(this._range), version)); }
    getRange(where = "Whole") {
      return new Range(this.context, () => {
        const { start, end } = this._range;
        return where === "Start" ? { start, end: start } : where === "End" ? { start: end, end } : { start, end };
      });
    }
    expandTo(other) {
      return new Range(this.context, () => {
        const [one, two] = [this._range, other._range];
        return { start: order(one.start, two.start) <= 0 ? one.start : two.start, end: order(one.end, two.end) >= 0 ? one.end : two.end };
      });
    }
    insertText(text, where) { return new Range(this.context, () => insertAt(this._range, text, where)); }
    insertParagraph(text, where) {
      if (where !== "After") throw new Error("InvalidArgument");
      return new Paragraph(this.context, () => addParagraph(this._range.end.paragraph, text));
    }
    insertComment(text) { this._later(() => comment(this._range, text)); }
    delete() { this._later(() => remove(this._range)); }
    select() { this._later(() => { host.selection = this._range; host.moved.forEach((each) => each()); }); }
    getTrackedChanges() { return new Items(this.context, () => marks(this._range), Change); }
  }
  Range.give({ text: (range) => words(within(range)) });

  class List extends Thing {}
  List.give({ id: (number) => number });
  class ListItem extends Thing {}
  ListItem.give({ level: (level) => level });

  const numbers = (paragraph) => child(child(paragraph, "pPr"), "numPr");
  class Paragraph extends Range {
    get _range() { return whole(this._value); }
    get listOrNullObject() { return new List(this.context, () => { const held = child(numbers(this._value), "numId"); return held ? Number(held.getAttributeNS(W, "val")) : null; }); }
    get listItemOrNullObject() { return new ListItem(this.context, () => { const held = child(numbers(this._value), "ilvl"); return held ? Number(held.getAttributeNS(W, "val")) : null; }); }
    search(query, { matchCase }) {
      if (!matchCase) throw new Error("the host compares case");
      return new Items(this.context, () => search(this._value, query), Range);
    }
    attachToList(id, level) {
      return this._later(() => {
        this._drop();
        const held = make("numPr");
        held.append(make("ilvl", { val: String(level) }), make("numId", { val: String(id) }));
        const style = child(child(this._value, "pPr"), "pStyle");
        if (style) style.after(held);
        else child(this._value, "pPr").prepend(held);
      });
    }
    detachFromList() { this._later(() => this._drop()); }
    _drop() { numbers(this._value)?.remove(); }
  }
  const nothing = () => null;
  Paragraph.give(
    {
      text: (paragraph) => words(runsOf(paragraph)),
      style: (paragraph) => child(child(paragraph, "pPr"), "pStyle")?.getAttributeNS(W, "val") ?? "Normal",
      isListItem: (paragraph) => Boolean(numbers(paragraph)),
      alignment: nothing, firstLineIndent: nothing, leftIndent: nothing, rightIndent: nothing, spaceBefore: nothing, spaceAfter: nothing,
    },
    {
      style: (paragraph, value) => {
        const look = child(paragraph, "pPr");
        child(look, "pStyle")?.remove();
        if (value !== "Normal") look.prepend(make("pStyle", { val: value }));
      },
    },
  );

  class Document extends Thing {
    get body() { return { paragraphs: new Items(this.context, paragraphs, Paragraph) }; }
    getSelection() { return new Range(this.context, () => host.selection ?? whole(paragraphs()[0])); }
  }
  Document.give({ changeTrackingMode: () => host.tracking }, { changeTrackingMode: (_, value) => { host.tracking = value; } });

  class Context {
    constructor() {
      this._queue = [];
      this.document = new Document(this, () => host);
      this.application = { createDocument: (data) => ({ open: () => { this._queue.push(() => host.copies.push(data)); } }) };
    }
    async sync() {
      await new Promise((done) => setTimeout(done));
      for (let next = this._queue.shift(); next; next = this._queue.shift()) next();
    }
  }

  // What a test does with it

  const host = {
    author: "Ada", version: 1.7, tracking: "Off", copies: [], moved: [], browsed: [], nextId: 9000, selection: null, url: "",
    async open(base64, name) {
      host.parts = await unzip(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)));
      host.xml = read("word/document.xml");
      host.url = `C:\\Deals\\${name}`;
      cutRuns();
      host.ready();
    },
    bytes() {
      joinRuns();
      write("word/document.xml", host.xml);
      cutRuns();
      return zip(host.parts);
    },
    save() {
      return btoa(Array.from(host.bytes(), (each) => String.fromCharCode(each)).join(""));
    },
    selected: () => words(within(host.selection), "Current"),
    text: () => paragraphs().map((each) => words(runsOf(each), "Current")).join("\n"),
  };
  const opened = new Promise((resolve) => { host.ready = resolve; });
  const succeed = (done, value) => setTimeout(() => done({ status: "succeeded", value }));
  window.WordHost = host;
  window.Word = { run: async (work) => work(new Context()) };
  window.Office = {
    onReady: async (start) => { await opened; start({ host: "Word", platform: "PC" }); },
    context: {
      requirements: { isSetSupported: (name, version) => name === "OpenBrowserWindowApi" || (name === "WordApi" && Number(version) <= host.version) },
      ui: { openBrowserWindow: (address) => host.browsed.push(address) },
      document: {
        get url() { return host.url; },
        addHandlerAsync: (_, tell) => host.moved.push(tell),
        getFileAsync(kind, { sliceSize }, done) {
          const data = host.bytes();
          const slice = (at, tell) => succeed(tell, { data: Array.from(data.subarray(at * sliceSize, (at + 1) * sliceSize)) });
          succeed(done, { sliceCount: Math.ceil(data.length / sliceSize), getSliceAsync: slice, closeAsync() {} });
        },
      },
    },
  };
})();
