// All apps: waiting jobs, sending rate, outcomes, and the reasons why an app does not send.
import { h, s, put, number } from "./dom.js";
import { attempt } from "./say.js";
import { write } from "./api.js";
import { finishedOf, ratesOf, status, watch } from "./status.js";
import { span } from "./times.js";
import { appPill, OUTCOMES, rate } from "./words.js";
import { safe } from "./strangers.js";

export function drawOverview(work, session) {
  const totals = h("dl", { class: "totals" });
  const apps = h("div", { class: "apps" });
  put(work, h("section", { class: "page" }, h("header", {}, h("h1", {}, "Overview")), totals, apps));
  const cards = new Map();
  return watch(() => {
    drawTotals(totals);
    const names = status.apps.map(({ name }) => name);
    for (const [name, card] of cards) if (!names.includes(name)) { card.remove(); cards.delete(name); }
    for (const app of status.apps) {
      if (!cards.has(app.name)) { cards.set(app.name, h("article", { class: "card app-card", "aria-label": app.name })); apps.append(cards.get(app.name)); }
      drawCard(cards.get(app.name), app, session);
    }
    if (!status.apps.length) put(apps, h("p", { class: "empty" }, "The service has no app that this key is for."));
  });
}

function drawTotals(container) {
  const sum = (value) => status.apps.reduce((all, app) => all + value(app), 0);
  const now = sum((app) => ratesOf(app.name).at(-1) ?? 0);
  const oldest = Math.max(0, ...status.apps.map((app) => app.oldest_due_seconds ?? 0));
  const one = (title, value, more) => h("div", { class: "card total" }, h("dt", {}, title), h("dd", {}, value, more && [" ", h("small", {}, more)]));
  put(container, one("Waiting", number(sum(({ counts }) => counts.waiting)), oldest > 1 && `oldest due for ${span(oldest)}`),
    one("Being sent", number(sum(({ counts }) => counts.leased + counts.started))),
    one("Finished a second", rate(now)),
    one("Dead letters", number(sum(({ counts }) => counts.dead_letters))));
}

function drawCard(card, app, session) {
  const { counts } = app;
  // A person who presses the button must not lose it under the pointer.
  if (card.contains(document.activeElement) && card.dataset.state === app.state) return drawFigures(card.querySelector(".figures"), app);
  card.dataset.state = app.state;
  const figures = h("div", { class: "figures" });
  put(card, h("div", { class: "head" }, h("h2", {}, safe(app.name, 100)), appPill(app.state)),
    app.reason && h("p", { class: "why" }, safe(app.reason, 400)), (app.warnings ?? []).map((text) => h("p", { class: "why" }, safe(text, 400))), figures, session.scopes.includes("admin") && control(app));
  drawFigures(figures, app, counts);
}

function control(app) {
  const isPaused = app.state === "paused" || app.state === "refused";
  const path = `/v1/apps/${encodeURIComponent(app.name)}/${isPaused ? "resume" : "pause"}`;
  return h("div", {}, h("button", { class: "btn small", type: "button", on: { click: () => attempt(() => write("POST", path), isPaused ? `${app.name} sends again.` : `${app.name} is paused. Its jobs wait.`) } }, isPaused ? "Resume" : "Pause"));
}

function drawFigures(container, app) {
  const { counts } = app, done = finishedOf(app);
  const facts = [["Waiting", number(counts.waiting)], ["Being sent", number(counts.leased + counts.started)],
    app.oldest_due_seconds > 1 && ["Oldest due for", span(app.oldest_due_seconds)],
    ["Connection", app.connected ? "Connected" : "Not connected"], ["Credentials", { accepted: "Accepted", refused: "Refused", unreadable: "Cannot be read" }[app.credentials] ?? "Not tried yet"],
    app.certificate_days_left !== undefined && ["Certificate", app.certificate_days_left < 0 ? "Expired" : `${app.certificate_days_left} days left`]];
  put(container, chart(ratesOf(app.name), app.name), outcomeBar(counts, done), h("div", { class: "legend" }, OUTCOMES.map(([id, title]) => h("span", { class: id }, h("i"), `${title} ${number(counts[id])}`))),
    h("dl", { class: "facts" }, facts.filter(Boolean).map(([title, value]) => [h("dt", {}, title), h("dd", {}, value)])));
}

function chart(values, name) {
  const most = Math.max(1, ...values), width = 60;
  const points = values.map((value, at) => `${(width - values.length + at + 1).toFixed(1)},${(34 - value / most * 32).toFixed(1)}`);
  const label = `${rate(values.at(-1) ?? 0)} finished a second in ${name}, at most ${rate(Math.max(0, ...values))} in the last two minutes`;
  return s("svg", { class: "rate", viewBox: "0 0 60 36", preserveAspectRatio: "none", role: "img", "aria-label": label },
    points.length > 1 && Math.max(...values) > 0 && s("path", { d: `M${points[0].split(",")[0]},36 L${points.join(" L")} L60,36 Z` }));
}

function outcomeBar(counts, done) {
  let x = 0;
  const parts = OUTCOMES.map(([id]) => {
    const width = done ? counts[id] / done * 100 : 0;
    const part = width > 0 && s("rect", { class: id, x, width, height: 8 });
    x += width;
    return part;
  });
  return s("svg", { class: "bars", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": `${number(done)} finished: ${OUTCOMES.map(([id, title]) => `${title} ${counts[id]}`).join(", ")}` }, parts);
}
