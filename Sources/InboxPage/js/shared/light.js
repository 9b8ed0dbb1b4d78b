// A row lights its card on the phone, and a card its row.
export function light(number) {
  for (const lit of document.querySelectorAll("[data-lit]")) delete lit.dataset.lit;
  if (number) for (const match of document.querySelectorAll(`[data-n="${CSS.escape(number)}"]`)) match.dataset.lit = "";
}

export function follow(container) {
  container.addEventListener("pointerover", (event) => light(event.target.closest("[data-n]")?.dataset.n));
  container.addEventListener("pointerleave", () => light(null));
}
