// Times come in UTC and are shown by the clock of whoever looks, days in their language.
const language = navigator.language;
const write = (options) => new Intl.DateTimeFormat(language, options);
const moment = write({ dateStyle: "long", timeStyle: "short" });
const day = write({ dateStyle: "long", timeZone: "UTC" }); // a day is the same everywhere


export function showLocalTimes(root) {
  for (const each of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(each.dateTime);
    const isDay = each.dateTime.length === 10;
    each.title = each.textContent; // the server's time, so that people in two places can compare
    each.textContent = (isDay ? day : moment).format(at);
    each.lang = language;
  }
}
