// What the page knows. The REST API and its events fill it; the parts of the page listen to it.
import { plainTopic } from "./topics.js";

export const store = Object.assign(new EventTarget(), {
  setup: {}, phones: [], screens: new Map(), reasons: new Map(),
  pushes: [], total: 0, kept: 0, isCut: false, counts: null, minutes: [],
  query: "", outcome: "all", app: null, live: true, link: "connecting", missed: null,
  phone: null, view: "auto", preview: "card", faultsOn: 0, scenario: null,
});

export const say = (name, detail) => store.dispatchEvent(new CustomEvent(name, { detail }));
export const when = (name, action, options) => store.addEventListener(name, ({ detail }) => action(detail), options);

export const phone = (id) => store.phones.find((each) => each.id === id);
export const can = (ability) => store.setup.abilities?.includes(ability) === true;

/// The app of a topic: on this phone, else on any. Topics of push types with a suffix belong to the app without it.
export function app(topic, phoneID) {
  const plain = plainTopic(topic);
  const fits = (each) => each.apps?.find((one) => one.topic === topic || one.topic === plain);
  return fits(phone(phoneID) ?? {}) ?? store.phones.map(fits).find(Boolean);
}

export const appName = (topic, phoneID) => app(topic, phoneID)?.name ?? topic ?? "no topic";
