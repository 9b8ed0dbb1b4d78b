// The page of the service: login, bar, and the view that the address names.
import { h, put, $, number } from "./dom.js";
import { onLocked } from "./api.js";
import { drawCampaigns } from "./campaigns.js";
import { drawDeadLetters } from "./dead.js";
import { icon } from "./icons.js";
import { drawJob } from "./job.js";
import { drawOutcomes } from "./outcomes.js";
import { drawOverview } from "./overview.js";
import { current, drawLogin, leave } from "./session.js";
import { poll, status, stopPolling, watch } from "./status.js";
import { toggleTheme } from "./theme.js";

const VIEWS = [["overview", "Overview", drawOverview], ["outcomes", "Outcomes", drawOutcomes], ["campaigns", "Campaigns", drawCampaigns], ["dead-letters", "Dead letters", drawDeadLetters]];
let session = null;
let close = () => {};
let stopWatching = () => {};

function drawBar() {
  put($("bar"), h("a", { class: "brand", href: "#/overview" }, h("img", { src: "assets/mark.svg", alt: "" }), "pushserve"),
    h("nav", { class: "tabs", "aria-label": "Views" }, VIEWS.map(([id, title]) => h("a", { href: `#/${id}`, "data-view": id }, title, id === "dead-letters" && h("span", { class: "n", hidden: true })))),
    h("div", { class: "end" }, h("form", { class: "search", role: "search", on: { submit: open } }, h("input", { type: "search", id: "find", "aria-label": "Find a job by its id", placeholder: "Job id", spellcheck: "false" })),
      h("span", { class: "link-state", id: "link", role: "status" }, h("span", {}, "Live")),
      h("button", { class: "btn bare icon", type: "button", "aria-label": "Light or dark", on: { click: toggleTheme } }, icon("sun")),
      h("button", { class: "btn bare", type: "button", on: { click: logOut } }, "Log out")));
}

/// Opens the job with the id in the field. It may belong to any app of the key.
function open(event) {
  event.preventDefault();
  const id = $("find").value.trim();
  if (id) location.hash = `#/job/${encodeURIComponent(id)}`;
}

async function logOut() {
  await leave();
  end();
  drawLogin(begin);
}

function setLink(state) {
  if (!$("link")) return;
  $("link").dataset.state = state;
  $("link").firstElementChild.textContent = state === "lost" ? "Not connected" : "Live";
}

function show() {
  if (!session) return;
  close();
  const [, view = "overview", ...rest] = location.hash.split("/");
  const found = view === "job" ? [, "Job", drawJob] : VIEWS.find(([id]) => id === view) ?? VIEWS[0];
  for (const link of document.querySelectorAll(".tabs a")) link.toggleAttribute("aria-current", false);
  document.querySelector(`.tabs a[data-view="${CSS.escape(found[0] ?? "")}"]`)?.setAttribute("aria-current", "page");
  document.title = `${found[1]} – pushserve`;
  close = found[2]($("work"), session, setLink, rest.map(decodeURIComponent)) ?? (() => {});
  document.documentElement.dataset.view = found[0] ?? "job";
}

function begin(given) {
  session = given;
  drawBar();
  stopWatching = watch(() => {
    const dead = status.apps.reduce((all, app) => all + app.counts.dead_letters, 0);
    const mark = document.querySelector(".tabs .n");
    if (mark) { mark.hidden = dead === 0; mark.textContent = number(dead); }
    if (document.documentElement.dataset.stream !== "open") setLink(status.isLive ? "live" : "lost");
  });
  poll();
  show();
  document.documentElement.dataset.ready = "true";
}

function end() {
  close();
  stopWatching();
  close = () => {};
  stopPolling();
  session = null;
}

onLocked(() => { if (session) { end(); drawLogin(begin, "The session has ended. Log in again."); } });
addEventListener("hashchange", show);
current().then((found) => found ? begin(found) : drawLogin(begin), (error) => drawLogin(begin, error.message));
