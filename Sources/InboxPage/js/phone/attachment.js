// Files that a service extension has attached. They come from the mock's own map; no address of a payload is ever fetched.
import { h } from "../dom.js";
import { plain, safe } from "../strangers.js";
import { icon } from "../icons.js";
import { blob } from "../shared/api.js";

// Addresses of files that were read already; the oldest go first.
const known = new Map();
const MOST = 60;

/// Forgets all files, because their addresses belong to other pushes now.
export function forgetFiles() {
  for (const old of known.values()) old.then(URL.revokeObjectURL, () => {});
  known.clear();
}

async function source(url) {
  if (!known.has(url)) {
    known.set(url, blob(url).then((file) => URL.createObjectURL(file)));
    if (known.size > MOST) { const [first, old] = known.entries().next().value; known.delete(first); old.then(URL.revokeObjectURL, () => {}); }
  }
  return known.get(url);
}

/// A picture, whose bytes come later.
export function picture(attachment, { class: name, alt } = {}) {
  // A preview has the name of a file, but no push whose file the mock could give.
  if (!attachment.url) return h("span", { class: "no-picture" }, icon("eye", alt ?? plain(`Attachment ${attachment.name}`)));
  const image = h("img", { class: name, alt: alt ?? plain(`Attachment ${attachment.name}`), draggable: "false" });
  source(attachment.url).then((url) => { image.src = url; }, () => { known.delete(attachment.url); image.replaceWith(h("span", { class: "no-picture" }, icon("hidden", "The picture can’t be read"))); });
  return image;
}

/// An attachment in the expanded notification: a picture, or what plays a sound or a film.
export function attachmentView(attachment) {
  if (attachment.kind === "image") return picture(attachment);
  return h("div", { class: "media" }, icon(attachment.kind === "audio" ? "bell" : "play"), h("span", {}, safe(attachment.name, 80), h("small", {}, `${attachment.type}, ${Math.ceil(attachment.bytes / 1024)} KB`)));
}
