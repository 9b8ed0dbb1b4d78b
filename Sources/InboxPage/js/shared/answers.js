// Requests for the same thing can overlap. What the page shows must never be replaced by an older answer.

/// For each request, call `ask` before it, and `mayShow` with its result when the answer is there.
export function answers() {
  let asked = 0, shown = 0;
  return {
    ask: () => ++asked,
    /// Whether no newer answer is shown.
    mayShow(turn) {
      if (turn < shown) return false;
      shown = turn;
      return true;
    },
  };
}
