// Builds elements. Text is always text: nothing here, and nothing elsewhere, reads markup from a string.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else if (name === "class") element.setAttribute("class", value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(3).filter(Boolean));
  return parent;
}

export const number = (value) => Number(value).toLocaleString("en-GB");
export const some = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;
export const short = (token) => String(token ?? "").length > 14 ? `${token.slice(0, 8)}…${token.slice(-4)}` : String(token ?? "");
/// A part of the address; what isn’t encoded stays as it is.
export const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
export const $ = (id) => document.getElementById(id);
