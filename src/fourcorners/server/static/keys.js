// When a key is a command to the page, and when it is meant for something else.
const FIELD = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=searchbox], [role=combobox], [role=listbox]";

export const isTyping = (target) => Boolean(target.closest?.(FIELD));
export const isComposing = (event) => event.isComposing || event.keyCode === 229;
const isCovered = () => document.querySelector("dialog[open], details.pop[open], details.menu[open]") !== null;

// No shortcut, no part of a composition, and not for a field, a dialog or a menu; nor held down, unless it may be.
export function isCommand(event, mayRepeat = false) {
  return !event.defaultPrevented && !isComposing(event) && (mayRepeat || !event.repeat)
    && !event.ctrlKey && !event.altKey && !event.metaKey && !isTyping(event.target) && !isCovered();
}

// Whether the focus is where such a command belongs: nowhere, or in one of these, and in no input.
export function isWithin(target, ...places) {
  return target === document.body || target === document.documentElement
    || !target.matches("input") && places.some((each) => each?.contains(target));
}
