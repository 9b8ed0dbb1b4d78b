// The mock's events: read by fetch, so that an access token can be sent. After a break it continues where it stopped.
import { ask, get } from "./api.js";
import { say, store } from "./store.js";

// The number of pushes that are read again after a break. More are counted, and the table shows the newest of them.
const MOST_AGAIN = 500;
// The mock sends data at least every 15 seconds. After a longer silence the connection is lost.
const SILENCE = 40000;
const PAUSES = [500, 1000, 2000, 5000];

/// Listens until the page is closed.
export async function listen(handle) {
  let failures = 0;
  for (;;) {
    try {
      await catchUp();
      // A page that is left, and could be shown again, must not keep one of the few connections of the browser.
      const leaving = new AbortController();
      addEventListener("pagehide", () => leaving.abort(), { once: true });
      const answer = await ask("GET", "/events", { headers: { "last-event-id": String(store.total) }, signal: leaving.signal });
      failures = 0;
      say("link", "live");
      await read(answer.body, handle);
    } catch { /* The mock is gone or busy; the next attempt will tell. */ }
    say("link", "lost");
    await new Promise((resolve) => setTimeout(resolve, PAUSES[Math.min(failures++, PAUSES.length - 1)]));
  }
}

/// After a long break, skips old events, and says how many.
async function catchUp() {
  const [{ total }, setup] = await Promise.all([get("/pushes?limit=1&order=newest"), get("/setup")]);
  const isOther = setup.instance !== store.setup.instance;
  const behind = total - store.total;
  store.setup = setup;
  if (isOther || behind < 0) { store.total = total; say("missed", { again: true }); } else if (behind > MOST_AGAIN) {
    store.total = total;
    say("missed", { count: behind, kept: true });
  }
}

async function read(body, handle) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "", timer;
  const giveUp = () => reader.cancel().catch(() => {});
  addEventListener("offline", giveUp, { once: true });
  for (;;) {
    clearTimeout(timer);
    timer = setTimeout(giveUp, SILENCE);
    const { value, done } = await reader.read();
    if (done) { clearTimeout(timer); removeEventListener("offline", giveUp); return; }
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop();
    const events = blocks.map(event).filter((each) => each.name);
    if (events.length) handle(events);
  }
}

// The data stays text: of a thousand pushes at once only the newest are read.
function event(block) {
  const fields = { name: "", data: "", id: null };
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) fields.name = line.slice(7);
    else if (line.startsWith("data: ")) fields.data += line.slice(6);
    else if (line.startsWith("id: ")) fields.id = Number(line.slice(4));
  }
  return fields;
}
