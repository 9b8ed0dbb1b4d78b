// Short messages at the foot of the page, which a screen reader reads, too.
import { $ } from "./dom.js";

let timer;

export function say(text) {
  $("toast").textContent = text;
  $("toast").dataset.shown = "";
  clearTimeout(timer);
  timer = setTimeout(() => delete $("toast").dataset.shown, 6000);
}

/// Does something, and says what went wrong.
export async function attempt(action, done) {
  try { await action(); if (done) say(done); } catch (error) { say(error.message); }
}
