// Ties the parts together: the routes, and what is drawn when something changes.
import { h, put, $ } from "./dom.js";
import { find, get } from "./shared/api.js";
import { say, store, when } from "./shared/store.js";
import { route } from "./shared/route.js";
import { toggleTheme } from "./theme.js";
import { askWhenLocked } from "./access.js";
import { drawBar } from "./bar.js";
import { drawStage, listenToPresses } from "./phone/stage.js";
import { drawInbox, drawPause } from "./list/inbox.js";
import { drawNotice } from "./list/notice.js";
import { drawCounts } from "./list/counts.js";
import { drawHits, drawQuery } from "./list/search.js";
import { readAddress } from "./list/address.js";
import { drawPager } from "./list/pager.js";
import { drawDetail } from "./detail/detail.js";
import { drawCompose } from "./compose/compose.js";
import { drawWire } from "./wire/wire.js";
import { drawEmpty } from "./list/empty.js";
import { load, reselect, select } from "./list/listing.js";
import { forgetRows, renewRows } from "./list/rows.js";
import { forgetFiles } from "./phone/attachment.js";
import { loadPhones, summary } from "./phone/phones.js";
import { loadFaults } from "./wire/faults.js";
import { startArrivals } from "./list/arrivals.js";
import { listenToKeys } from "./shortcuts.js";
import { attempt, toast } from "./copy.js";

function showPane(id) { $("app").dataset.pane = id; drawSwitch(); }

function drawSwitch() {
  const pane = $("app").dataset.pane;
  const first = { push: "Push", compose: "Payload" }[route().name] ?? "Pushes";
  put($("switch"), h("div", { class: "seg", role: "group", "aria-label": "Show" }, [["list", first], ["phone", "Phone"]].map(([id, title]) => h("button", { type: "button", "aria-pressed": String(pane === id), on: { click: () => { showPane(id); $("switch").querySelector("[aria-pressed=true]").focus(); } } }, title))));
}

// Before the first push the inbox says how to send one.
function page() {
  const now = route();
  return now.name === "inbox" && store.total === 0 && !store.query && store.outcome === "all" ? { ...now, name: "empty" } : now;
}

let drawn = null, draws = 0;
async function draw() {
  const turn = ++draws;
  const now = page();
  const key = `${now.name} ${now.n ?? now.value ?? ""}`;
  drawn = now.name;
  $("app").dataset.wide = String(now.name === "faults");
  document.title = `${{ push: `Push ${now.n}`, compose: "Composer", faults: "Faults & connections" }[now.name] ?? "Inbox"} – pushsend mock`;
  drawBar(now); drawSwitch(); drawStage(now);
  $("work").dataset.page = key;
  await ({ inbox: drawInbox, push: () => drawDetail(now.n), compose: () => drawCompose(now.value), faults: drawWire, empty: drawEmpty })[now.name]();
  // Another page can have been opened meanwhile.
  if (turn !== draws) return;
  if (now.name === "compose") drawStageNow();
  $("work").scrollTop = 0;
}

const drawStageNow = () => { drawStage(page()); if (page().name === "compose") say("preview"); };
const drawTable = () => { if (drawn === "empty" && page().name !== "empty") draw(); else { drawPager(); drawHits(); drawBar(page()); } };

function listenToStore() {
  when("listed", drawTable);
  when("counted", () => { drawCounts(); drawBar(page()); });
  when("phones", () => { renewRows(); drawStageNow(); });
  when("screen", ({ isNewInRows }) => { if (isNewInRows) renewRows(); drawStageNow(); });
  when("stage", drawStageNow);
  when("faults", () => drawBar(page()));
  when("link", (link) => { store.link = link; drawBar(page()); if (link === "live") renewAll(); });
  when("missed", (missed) => { store.missed = missed; if (missed.again) beginAgain(); drawNotice(); });
  when("app", (topic) => { if (route().name === "inbox") { chooseApp(topic); drawStageNow(); } else { location.hash = "#/inbox"; chooseApp(topic, { isStep: false }); } });
  when("theme", () => { toggleTheme(); drawBar(page()); });
  when("pause", pause);
  when("acted", (number) => { if (route().n === number) drawDetail(number, { again: true }); });
  when("outcomes", (numbers) => { if (numbers.includes(route().n)) drawDetail(route().n, { again: true }); });
}

function chooseApp(topic, step) {
  store.app = store.app === topic ? null : topic;
  select(step);
}

function pause() {
  store.live = !store.live;
  toast(store.live ? "Live again" : "Paused: new pushes wait", store.live ? "play" : "pause");
  drawPause(); drawBar(page());
  if (store.live) load();
}

// The mock was started again: its pushes have the numbers of older ones, which this page still has.
function beginAgain() {
  forgetRows();
  forgetFiles();
  load();
  if (route().name === "push") drawDetail(route().n);
}

// Things can have changed since the first requests, or while the connection was lost.
async function renewAll() {
  await attempt(async () => { store.setup = await get("/setup"); await loadPhones(); await load({ mayWait: true }); await summary(); await loadFaults(); });
  if (route().name === "push") drawDetail(route().n, { again: true });
  document.documentElement.dataset.ready = "";
}

async function start() {
  askWhenLocked();
  listenToStore();
  readAddress();
  const pane = new URLSearchParams(location.search).get("pane");
  if (["list", "phone"].includes(pane)) $("app").dataset.pane = pane;
  store.setup = await get("/setup");
  for (const reason of (await find("/reasons"))?.items ?? []) store.reasons.set(reason.reason, reason);
  await Promise.all([loadPhones(), load({ mayWait: true }), summary(), loadFaults()]);
  // Links must work while the first page is still being read.
  addEventListener("hashchange", () => { draw(); if (document.activeElement === document.body) $("work").focus({ preventScroll: true }); });
  addEventListener("popstate", () => { if (readAddress()) { drawQuery(); drawCounts(); reselect(); say("stage"); } });
  await draw();
  for (const [link, id, pane] of [[".skip", "work", "list"], [".skip-phone", "stage", "phone"]]) document.querySelector(link).addEventListener("click", (event) => { event.preventDefault(); showPane(pane); $(id).focus(); });
  listenToKeys();
  listenToPresses();
  startArrivals();
}

start().catch((error) => { put($("work"), h("div", { class: "nothing" }, h("b", {}, "The mock doesn’t answer"), String(error.message))); });
