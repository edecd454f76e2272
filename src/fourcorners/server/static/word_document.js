// What the pane reads and writes in the open document, by Word's own interface.
const CURRENT = "Current"; // the words as they are with all tracked changes accepted
const SEARCHED = 100; // characters that are searched for at once: Word takes 255, escaped
const SLICE = 262144; // bytes of the file that are read at once
const UNKNOWN = [null, undefined, "Mixed", "Unknown"]; // of a look that differs within a range
const SPECIAL = { "^": "^^", "\t": "^t", "\n": "^l", "\u00a0": "^s", "\u2011": "^~" };
export const CHANGED = "The text has changed since it was read. Review the contract again.";

const LOST = "Word does not find these words. Make this change by hand, or open the marked copy.";

const put = new Map(); // what was put into each paragraph since it was read, by its words

// Letters alone: Word and the reader differ in white space and in signs that nobody sees.
const bare = (text) => text.replace(/[\s\p{C}]/gu, "").replace(/[‘’]/g, "'").replace(/[“”]/g, "\"");
const cut = (text, start, end) => [...text].slice(start, end).join("");
const madeIn = (place) => put.get(place.text) ?? [];
const escape = (words) => [...words].map((each) => SPECIAL[each] ?? each).join("");

export const supports = (version, set = "WordApi") => Office.context.requirements.isSetSupported(set, version);

export function documentName() {
  const name = decodeURIComponent((Office.context.document.url ?? "").split(/[\\/]/).pop().split("?")[0]);
  return /\.docx$/i.test(name) ? name : `${name.replace(/\.\w*$/, "") || "Open document"}.docx`;
}

function promise(start) {
  return new Promise((resolve, reject) => start((result) => (result.status === "succeeded" ? resolve(result.value) : reject(new Error(result.error.message)))));
}

export async function documentFile() {
  const file = await promise((done) => Office.context.document.getFileAsync("compressed", { sliceSize: SLICE }, done));
  try {
    const parts = [];
    for (let at = 0; at < file.sliceCount; at += 1) {
      const slice = await promise((done) => file.getSliceAsync(at, done));
      parts.push(new Uint8Array(slice.data));
    }
    put.clear();
    return new Blob(parts, { type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document" });
  } finally {
    file.closeAsync();
  }
}

// A paragraph's words as they should be now.
const wordsNow = (place) => madeIn(place).reduce((text, each) => cut(text, 0, each.start) + each.added + cut(text, each.end), place.text);

// Where a place of the words that were read is in them.
function placeNow(place) {
  let { start, end } = place;
  for (const each of madeIn(place)) {
    const grown = [...each.added].length - (each.end - each.start);
    if (each.end <= start) [start, end] = [start + grown, end + grown];
    else if (each.start < end) throw new Error("Another change was put into these words.");
  }
  return { text: wordsNow(place), start, end };
}

async function findParagraph(context, place) {
  const [now, then] = [bare(wordsNow(place)), bare(place.text)];
  const paragraphs = context.document.body.paragraphs;
  paragraphs.load("items");
  await context.sync();
  const near = paragraphs.items.map((item, at) => ({ item, far: Math.abs(at - place.paragraph) })).sort((one, other) => one.far - other.far);
  for (let at = 0; at < near.length; at += at ? near.length : 1) { // the likeliest first, then all others at once
    const some = near.slice(at, at ? near.length : 1).map(({ item }) => ({ item, words: item.getReviewedText(CURRENT) }));
    await context.sync();
    const found = some.find(({ words }) => bare(words.value) === now) ?? some.find(({ words }) => bare(words.value) === then);
    if (!found) continue;
    if (bare(found.words.value) === then) put.delete(place.text); // it was undone in Word
    return found.item;
  }
  throw new Error(CHANGED);
}

// The range of words that begin at an offset: of all places with such words, the one that has the
// right words before it. Words that are deleted already are found by Word, too, and are no such place.
async function findAt(context, paragraph, text, start, end) {
  if (end - start > 2 * SEARCHED) {
    const first = await findAt(context, paragraph, text, start, start + SEARCHED);
    const last = await findAt(context, paragraph, text, end - SEARCHED, end);
    return first.expandTo(last);
  }
  const words = cut(text, start, end);
  const found = paragraph.search(escape(words), { matchCase: true });
  found.load("items");
  await context.sync();
  const places = found.items.map((range) => ({
    range,
    own: range.getReviewedText(CURRENT),
    before: paragraph.getRange("Start").expandTo(range.getRange("Start")).getReviewedText(CURRENT),
  }));
  await context.sync();
  const lead = bare(cut(text, 0, start));
  const right = places.find(({ own, before }) => bare(before.value) === lead && bare(own.value) === bare(words));
  if (right) return right.range;
  if (end - start < 2) throw new Error(LOST);
  const middle = start + Math.floor((end - start) / 2); // deleted words may be in their midst
  const first = await findAt(context, paragraph, text, start, middle);
  return first.expandTo(await findAt(context, paragraph, text, middle, end));
}

// Where words come in: the end of those before them.
async function findPoint(context, paragraph, text, at) {
  if (!cut(text, 0, at).trim()) return paragraph.getRange("Start");
  const before = cut(text, Math.max(0, at - 30), at);
  return findAt(context, paragraph, text, at - [...before].length, at);
}

async function findRange(context, place) {
  const paragraph = await findParagraph(context, place);
  const { text, start, end } = placeNow(place);
  return end > start ? findAt(context, paragraph, text, start, end) : findPoint(context, paragraph, text, start);
}

export function show(place) {
  return Word.run(async (context) => {
    let range;
    try {
      range = await findRange(context, place);
    } catch (problem) {
      if (problem.message === CHANGED) throw problem;
      range = (await findParagraph(context, place)).getRange("Content"); // the words differ a little
    }
    range.select();
    await context.sync();
  });
}

// Does something as a tracked change, and leaves tracking as it was.
function tracked(work) {
  return Word.run(async (context) => {
    const file = context.document;
    file.load("changeTrackingMode");
    await context.sync();
    const before = file.changeTrackingMode;
    file.changeTrackingMode = "TrackAll";
    await context.sync();
    try {
      await work(context);
      await context.sync();
    } finally {
      file.changeTrackingMode = before;
      await context.sync();
    }
  });
}

export function putIn(change) {
  if (change.obstacle) throw new Error(change.obstacle);
  return tracked(async (context) => {
    if (change.paragraphs.length) await addParagraphs(context, change);
    else await replaceWords(context, change);
  });
}

async function replaceWords(context, change) {
  const found = [];
  for (const edit of change.edits) found.push({ edit, range: await findRange(context, edit.place) });
  const whole = found.length > 1 ? found[0].range.expandTo(found.at(-1).range) : found[0].range;
  if (change.comment) whole.insertComment(change.comment); // while all its words are there
  for (const { edit, range } of found.reverse()) { // from the end, so that the places before stay
    const { start, end, text } = placeNow(edit.place);
    if (end > start && edit.added) range.insertText(edit.added, "Replace");
    else if (end > start) range.delete();
    else range.insertText(edit.added, cut(text, 0, start).trim() ? "End" : "Start");
    await context.sync();
  }
  for (const { edit } of found) remember(edit); // the last first
}

function remember({ place, added }) {
  const { start, end } = placeNow(place);
  put.set(place.text, [...madeIn(place), { start, end, added }]);
}

async function addParagraphs(context, change) {
  const after = await findParagraph(context, change.after);
  const likes = [];
  for (const each of change.paragraphs) likes.push(each.like.paragraph === change.after.paragraph ? null : await findParagraph(context, each.like));
  let last = after;
  for (const [at, each] of change.paragraphs.entries()) {
    last = last.insertParagraph("", "After");
    await look(context, last, likes[at] ?? after);
    for (const run of each.runs) await addRun(context, last, run);
    if (!at && change.comment) last.getRange("Content").insertComment(change.comment);
    await context.sync();
  }
}

async function look(context, paragraph, like) {
  like.load("style,isListItem,alignment,firstLineIndent,leftIndent,rightIndent,spaceBefore,spaceAfter");
  paragraph.load("isListItem");
  await context.sync();
  for (const name of ["style", "alignment", "firstLineIndent", "leftIndent", "rightIndent", "spaceBefore", "spaceAfter"]) {
    if (!UNKNOWN.includes(like[name])) paragraph[name] = like[name];
  }
  if (like.isListItem) {
    const [list, item] = [like.listOrNullObject, like.listItemOrNullObject];
    list.load("id");
    item.load("level");
    await context.sync();
    if (!list.isNullObject) paragraph.attachToList(list.id, item.isNullObject ? 0 : item.level);
  } else if (paragraph.isListItem) {
    paragraph.detachFromList();
  }
}

async function addRun(context, paragraph, run) {
  const made = paragraph.insertText(run.text, "End");
  if (!run.like) return;
  const sample = await findRange(context, run.like);
  sample.font.load("bold,italic,underline");
  await context.sync();
  for (const name of ["bold", "italic", "underline"]) {
    if (!UNKNOWN.includes(sample.font[name])) made.font[name] = sample.font[name];
  }
}

// The other side's changes: accepted as they are, or only commented on.
export function accept(place, author, words) {
  if (!supports("1.6")) throw new Error("This version of Word cannot accept changes for an add-in. Accept it under Review in Word.");
  return Word.run(async (context) => {
    const paragraph = await findParagraph(context, place);
    const changes = paragraph.getRange("Whole").getTrackedChanges();
    changes.load("items/author,items/type,items/text");
    await context.sync();
    const own = changes.items.filter((each) => each.author === author && bare(each.type === "Deleted" ? words.before : words.after).includes(bare(each.text)));
    if (!own.length) throw new Error("Word lists no such change any more.");
    own.forEach((each) => each.accept());
    await context.sync();
  });
}

export function comment(place, words) {
  return Word.run(async (context) => {
    (await findRange(context, place)).insertComment(words);
    await context.sync();
  });
}

export function insertClause(text, source) {
  return tracked(async (context) => {
    let last = context.document.getSelection().paragraphs.getLast();
    for (const [at, words] of text.split(/\n\s*\n/).filter((each) => each.trim()).entries()) {
      last = last.insertParagraph(words.replace(/\s+/g, " ").trim(), "After");
      if (!at && source) last.getRange("Content").insertComment(`From: ${source}`);
      await context.sync();
    }
  });
}

export function selectedWords() {
  return Word.run(async (context) => {
    const range = context.document.getSelection();
    range.load("text");
    await context.sync();
    return range.text;
  });
}

export async function openCopy(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return Word.run(async (context) => {
    context.application.createDocument(btoa(text)).open();
    await context.sync();
  });
}

// Calls back with the words of the paragraph in which the cursor is, whenever it moves.
export function onMove(tell) {
  Office.context.document.addHandlerAsync("documentSelectionChanged", () => Word.run(async (context) => {
    const words = context.document.getSelection().paragraphs.getFirst().getReviewedText(CURRENT);
    await context.sync();
    tell((place) => bare(place) === bare(words.value));
  }).catch(() => {})); // the cursor may be where there is no paragraph
}
