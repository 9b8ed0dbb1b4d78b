// Faults that the page offers. docs/mock-api.md#failure-injection has the language.
export const READY = [
  { title: "Bad day", about: "One request in ten is answered 503 ServiceUnavailable.", json: { name: "bad day", when: { match: { every: 10 } }, steps: [{ answer: { status: 503, reason: "ServiceUnavailable" } }] } },
  { title: "Lost answer", about: "One push in a hundred is accepted, but the sender gets no answer.", json: { name: "lost answer", when: { probability: 0.01 }, steps: ["judge", "no_answer"] } },
  { title: "Far away", about: "Half of the answers take 50 ms, and one in a hundred takes 800 ms.", json: { name: "far away", steps: [{ wait_ms: { median: 50, p99: 800 } }] } },
  { title: "Rotation", about: "GOAWAY after each thousandth request, like from a load balancer.", json: { name: "rotation", when: { match: { every: 1000 } }, steps: [{ go_away: { last_stream: "this" } }] } },
  { title: "One at a time", about: "New connections can have only one open stream.", json: { name: "one at a time", at: "connection_established", steps: [{ settings: { max_concurrent_streams: 1 } }] } },
  { title: "Too many requests", about: "Every other request exceeds its device's rate limit.", json: { name: "too many requests", when: { match: { every: 2 } }, steps: [{ answer: { status: 429, reason: "TooManyRequests" } }] } },
  { title: "Certificate expired", about: "The next connection gets a server certificate that has expired.", json: { name: "certificate expired", at: "connection_accepted", times: 1, steps: [{ tls: { certificate: "expired" } }] } },
  { title: "Silence", about: "The next request is accepted. Then the connection stays open, but silent.", json: { name: "silence", times: 1, steps: ["judge", "fall_silent"] } },
];
