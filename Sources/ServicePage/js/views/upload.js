// A new campaign: the file, the first lines as people will read them, then the mistakes that the service finds, then the start.
import { h, put, number, short, some } from "../dom.js";
import { send, write } from "../api.js";
import { attempt, toast } from "../copy.js";
import { icon } from "../icons.js";
import { safe, plain } from "../strangers.js";
import { noScope } from "../page.js";
import { bodyOf, says } from "../payload.js";
import { act, anchor, button, field, head, options, span, table } from "../parts.js";
import { go } from "../route.js";
import { apps, may } from "../session.js";

const PREVIEW = 5, MOST_READ = 65536;
const EXAMPLE = "{\"aps\":{\"alert\":{\"title\":\"Hello {{name|there}}\",\"body\":\"You have {{points}} points\"}}}";

export function upload() {
  const page = h("div", { class: "page upload" });
  if (!may("send")) { put(page, noScope("send")); page.dataset.loaded = ""; return { body: page }; }
  let file = null, rows = [], draft = null;
  const input = h("input", { type: "file", id: "file", class: "sr", accept: ".csv,.jsonl,.ndjson,.json,text/csv", on: { change: () => attempt(() => choose(input.files[0])) } });
  const drop = h("label", { class: "card drop", for: "file", on: { dragover: (event) => event.preventDefault(), drop: (event) => { event.preventDefault(); attempt(() => choose(event.dataTransfer.files[0])); } } });
  const preview = h("div"), mistakes = h("div"), foot = h("footer"), lasts = h("small", { class: "faint" });
  const name = h("input", { required: true, maxlength: "200", placeholder: "Points, December" }), app = h("select", {}, options(apps().map((each) => [each, plain(each, 60)])));
  const payload = h("textarea", { rows: "6", spellcheck: "false", class: "mono", "aria-describedby": "payload-note", on: { input: () => drawPreview() } }, JSON.stringify(JSON.parse(EXAMPLE), null, 1));
  const rate = h("input", { value: "100", inputmode: "decimal", on: { input: () => say() } }), expires = h("input", { placeholder: "2h, or empty" }), starts = h("input", { type: "datetime-local" });
  const say = () => { const lines = draft ? draft.upload.accepted : rows.length, each = Number(rate.value); lasts.textContent = each > 0 && draft ? `About ${span(lines / each)} for ${some(lines, "line")}` : "Empty for no limit"; };
  const choose = async (chosen) => {
    if (!chosen) return;
    [file, draft] = [chosen, null];
    rows = parse(file, await file.slice(0, MOST_READ).text());
    name.value ||= file.name.replace(/\.\w+$/, "");
    drawDrop(); drawPreview(); drawMistakes();
  };
  const drawDrop = () => put(drop, icon("doc"), h("div", {}, h("b", {}, file ? safe(file.name, 120) : "Choose a CSV file or JSON lines"), h("span", {}, file ? `${size(file.size)}, not sent yet` : "One line for each device: a column token, and the values for the payload. Or drop it here.")), h("span", { class: "btn small", "aria-hidden": "true" }, file ? "Another file" : "Choose"));
  const drawPreview = () => {
    let template = null;
    try { template = payload.value.trim() ? JSON.parse(payload.value) : null; } catch { /* The service says what is wrong. */ }
    put(preview, rows.length > 0 && h("section", { class: "card" }, h("header", {}, h("h2", {}, "What people will read"), h("p", {}, `the first ${some(rows.length, "line")}`)), table("Preview", [["Line", "num c-line"], ["Device token", "c-dev"], ["Notification", "say"]], rows.map((row, i) => {
      const { title, body } = says({ payload: row.payload ?? filled(template, row) ?? {} });
      return h("tr", {}, h("td", { class: "num c-line" }, number(i + (isCSV(file) ? 2 : 1))), h("td", { class: "c-dev" }, h("code", {}, safe(short(row.token ?? "none"), 30))), h("td", { class: "say" }, h("b", {}, safe(title, 80)), " ", body && h("span", {}, safe(body, 160))));
    }), "still preview")));
  };
  const drawMistakes = () => {
    const found = draft?.upload;
    put(mistakes, found && h("section", { class: "card mistakes" }, h("header", {}, h("h2", {}, found.refused ? `${some(found.refused, "line")} ${found.refused === 1 ? "has a mistake" : "have mistakes"}` : "No mistakes"), h("p", {}, found.refused ? "the others can be sent" : `${some(found.accepted, "line")} can be sent`)), h("ul", {},
      [...(found.unfilled ?? []).map((text) => [text]), ...(draft.warnings ?? []).map((each) => [each.detail, each.remedy])].map(([text, remedy]) => h("li", {}, icon("warn", "Look at this"), h("div", {}, h("b", {}, safe(text, 300)), remedy && h("p", {}, safe(remedy, 300))))),
      found.doubled > 0 && h("li", {}, icon("info", "Note"), h("div", {}, h("b", {}, `${some(found.doubled, "line")} repeat a device token`), h("p", {}, `They are sent. The first: ${(found.doubled_lines ?? []).slice(0, 10).join(", ")}`))),
      found.refusals.map((each) => h("li", { "data-line": each.line }, icon("warn", "Mistake"), h("div", {}, h("b", {}, `Line ${number(each.line)}`, each.field && [", ", h("code", {}, safe(each.field, 80))]), h("p", {}, safe(each.detail, 300), " ", each.remedy && safe(each.remedy, 300)))))), found.refused > found.refusals.length && h("p", { class: "more-line" }, `and ${number(found.refused - found.refusals.length)} more`)));
    const start = act(draft ? `Start with ${some(found.accepted, "line")}` : "", async () => { await write("POST", `/v1/campaigns/${encodeURIComponent(draft.id)}/start${(found.unfilled ?? []).length ? "?unfilled=true" : ""}`); toast(`${draft.name} has started`); go(`campaigns/${encodeURIComponent(draft.id)}`); }, { kind: "primary", "data-step": "start", disabled: draft && !found.accepted });
    put(foot, draft ? [start, anchor("Keep as a draft", `#/campaigns/${encodeURIComponent(draft.id)}`), button("Discard", () => attempt(discard))] : h("button", { class: "btn primary", type: "submit" }, icon("upload"), "Upload and check"));
    for (const each of [app, payload, name, expires, starts, rate]) each.disabled = Boolean(draft);
    say();
    page.dataset.draft = draft?.id ?? "";
  };
  const discard = async () => { await write("POST", `/v1/campaigns/${encodeURIComponent(draft.id)}/cancel`); draft = null; drawMistakes(); };
  const submit = async () => {
    if (!file) { toast("Choose a file first", "warn"); input.focus(); return; }
    const template = payload.value.trim();
    try { if (template) JSON.parse(template); } catch (error) { toast(`The payload isn’t JSON: ${error.message}`, "warn"); payload.focus(); return; }
    const settings = { app: app.value, name: name.value.trim(), rate: rate.value.trim() ? Number(rate.value.replace(",", ".")) : undefined, expires: expires.value.trim() || undefined, starts_at: starts.value ? new Date(starts.value).toISOString() : undefined };
    put(foot, h("p", { class: "going", role: "status" }, h("span", { class: "beat" }), `Uploading ${size(file.size)}. Nothing is sent to a device.`));
    try {
      const made = await (template ? send("POST", "/v1/campaigns", bodyOf(settings, template)) : write("POST", "/v1/campaigns", settings));
      try { draft = { ...made, ...await send("POST", `/v1/campaigns/${encodeURIComponent(made.id)}/lines`, file, isCSV(file) ? "text/csv" : "application/x-ndjson") }; } catch (error) { await write("POST", `/v1/campaigns/${encodeURIComponent(made.id)}/cancel`).catch(() => {}); throw error; }
    } finally { drawMistakes(); }
  };
  put(page, h("div", { class: "detail-bar" }, anchor("Campaigns", "#/campaigns", { name: "left", kind: "bare" })), head("New campaign", "Nothing is sent before you start it."), h("div", { class: "two flip" }, h("div", { class: "stackup" }, input, drop, preview, mistakes),
    h("form", { class: "card settings", on: { submit: (event) => { event.preventDefault(); attempt(submit); } } }, h("header", {}, h("h2", {}, "Settings")), h("div", { class: "fields" }, field("Name", name), field("App", app), field("Payload for every line", payload), h("small", { class: "faint", id: "payload-note" }, "{{name}} takes the value of a line. Empty if each line has its own."),
      field("Rate, lines a second", rate, lasts), field("Start at (empty: when you say so)", starts), field("Unsent lines expire after", expires), foot))));
  drawDrop(); drawMistakes();
  page.dataset.loaded = "";
  return { body: page };
}

const isCSV = (file) => /\.csv$/i.test(file.name) || file.type === "text/csv";
const size = (bytes) => bytes < 1e6 ? `${number(Math.ceil(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/// The first lines, only to be looked at. What counts is what the service reads.
function parse(file, text) {
  const all = text.split(/\r?\n/).filter((line) => line.trim());
  if (!isCSV(file)) return all.slice(0, PREVIEW).map((line) => { try { return JSON.parse(line); } catch { return { token: "not JSON" }; } });
  const names = cells(all[0] ?? "");
  const at = Math.max(0, names.findIndex((name) => /^(device[_ ]?)?token$/i.test(name.trim())));
  return all.slice(1, PREVIEW + 1).map((line) => { const values = cells(line); return { ...Object.fromEntries(names.map((name, i) => [name.trim(), values[i] ?? ""])), token: values[at] }; });
}

const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,;]*)(?:[,;]|$)/g)].slice(0, -1).map(([, cell]) => cell.startsWith("\"") ? cell.slice(1, -1).replaceAll("\"\"", "\"") : cell);

function filled(value, row) {
  if (typeof value === "string") return value.replace(/\{\{\s*([^}|]+?)\s*(?:\|([^}]*))?\}\}/g, (_, name, other) => Object.hasOwn(row, name) && row[name] !== "" ? String(row[name]) : other ?? `{{${name}}}`);
  if (Array.isArray(value)) return value.map((each) => filled(each, row));
  return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, row)])) : value;
}
