// Times come in UTC and are shown by the clock of whoever looks.
export function showLocalTimes(root) {
  for (const each of root.querySelectorAll("time[datetime]:not([title])")) {
    const at = new Date(each.dateTime);
    const month = at.toLocaleString("en-GB", { month: "long" });
    const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    each.title = each.textContent; // the server's time, so that people in two places can compare
    each.textContent = `${at.getDate()} ${month} ${at.getFullYear()}, ${clock}`;
  }
}
