// How large the payload is.
import { h, put, $, number } from "../dom.js";
import { meter, toneOf } from "../meter.js";
import { fieldsOf } from "./request-fields.js";

/// The size of what is sent: the text as it is.
export function drawSize(text) {
  const bytes = new TextEncoder().encode(text).length;
  const limit = fieldsOf().push_type === "voip" ? 5120 : 4096;
  put($("size"), meter(bytes, limit, "Bytes of the payload", toneOf(bytes, limit, .85, 1)), h("span", {}, `${number(bytes)} of ${number(limit)} bytes`), h("span", { class: "end" }, "Tab leaves the editor"));
}
