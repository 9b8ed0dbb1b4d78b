// The words of the REST API's search language, for colours and suggestions. The mock itself does the search.
export const FIELDS = {
  topic: ["topic:com.example.*", "bundle id"], status: ["status:4xx", "200, 4xx, any"], type: ["type:alert", "push type"],
  outcome: ["outcome:hidden", "shown, quiet, replaced, stored, hidden, rejected, woke, acted"], reason: ["reason:BadDeviceToken", "the reason of a rejection"],
  delivery: ["delivery:stored", "delivered, stored, discarded"],
  phone: ["phone:desk", "the phone’s id"], token: ["token:5f3a", "how the device token begins"], title: ["title:Hello", "a part of the title"], body: ["body:World", "a part of the text"],
  thread: ["thread:chat-7", "thread-id"], group: ["group:chat-7", "thread-id, or the topic without one"], collapse: ["collapse:match-4711", "collapse id"],
  attachment: ["attachment:pier.jpg", "file name; any"], category: ["category:PHOTO", "category"], payload: ["payload:4711", "a part of the payload"],
  priority: ["priority:10", "apns-priority"], id: ["id:", "apns-id"], channel: ["channel:", "channel id"], kid: ["kid:", "key id of the provider token"], team: ["team:", "team id"],
  certificate: ["certificate:", "common name of the client certificate"], conn: ["conn:3", "number of the connection"], fault: ["fault:1", "name or number of the fault that acted"],
  violation: ["violation:any", "id of a broken rule"], before: ["before:", "earlier than this time"], after: ["after:", "later than this time"],
};

const OTHER_NAMES = new Set(["apns-topic", "apns-push-type", "apns-collapse-id", "apns-priority", "apns-id", "thread-id", "key-id"]);

export function tokens(text) {
  return [...text.matchAll(/\s+|(-?)(?:([a-z-]+):)?("[^"]*"?|\S+|$)/g)].filter((match) => match[0]).map((match) => {
    if (/^\s+$/.test(match[0])) return { text: match[0], space: true };
    const field = match[2];
    return { text: match[0], not: match[1] === "-", field, wrong: field !== undefined && !Object.hasOwn(FIELDS, field) && !OTHER_NAMES.has(field) };
  });
}
