// What each outcome means, and what to do: one place for every view.
export const OUTCOMES = {
  accepted: { word: "Accepted", icon: "check", tone: "ok" }, rejected: { word: "Rejected", icon: "cross", tone: "bad" },
  unknown: { word: "Unknown", icon: "warn", tone: "warn" }, not_sent: { word: "Not sent", icon: "block", tone: "" },
};
export const KINDS = Object.keys(OUTCOMES);

/// What came of a cancellation, in words.
export const cancelled = (result) => result === "cancelled" ? "The push was cancelled" : "It isn’t tried again, but an earlier try may have reached Apple";

/// A push without an outcome yet.
export const WAITS = {
  held: { word: "Held", icon: "pause", tone: "", why: "Its campaign releases it when it’s due and the rate allows." },
  waiting: { word: "Waiting", icon: "clock", tone: "", why: "It’s sent as soon as it’s due and the app’s rate allows." },
  leased: { word: "Claimed", icon: "server", tone: "", why: "A worker has it, and sends it next." },
  started: { word: "Being sent", icon: "send", tone: "accent", why: "A worker is sending it now." },
};

export const APP_STATES = { running: ["Running", "ok", "check"], resting: ["Resting", "warn", "clock"], paused: ["Paused", "warn", "pause"], refused: ["Needs a correction", "bad", "alert"], down: ["Down", "bad", "alert"] };
export const CREDENTIALS = { accepted: "Accepted", refused: "Refused", unreadable: "Can’t be read", untried: "Not tried yet" };
export const CAMPAIGNS = { draft: ["Draft", "", "doc"], scheduled: ["Scheduled", "", "clock"], running: ["Running", "accent", "play"], paused: ["Paused", "warn", "pause"], cancelling: ["Being cancelled", "warn", "block"], cancelled: ["Cancelled", "", "block"], finished: ["Finished", "ok", "check"] };

const REASONS = {
  "": { means: "Apple took the push. It doesn’t say whether the phone showed it.", todo: [] },
  Unregistered: { means: "The app was removed from this device, or it has a new device token.", todo: ["Delete the device token from your database. The webhook and /v1/gone-tokens report it too.", "Until then the service skips pushes to it."] },
  BadDeviceToken: { means: "Apple doesn’t know this device token here. It usually belongs to the other environment.", todo: ["Check whether the build comes from Xcode: its device tokens belong to the sandbox.", "Don’t delete the device token yet: in its own environment it may be good."] },
  DeviceTokenNotForTopic: { means: "The device token belongs to another app than the topic.", todo: ["Compare the topic of the app with the bundle id of the build that reported the device token."] },
  PayloadTooLarge: { means: "The payload is larger than the 4,096 bytes that Apple takes.", todo: ["Shorten the text, or move data to your server and send its address.", "pushsend lint tells you the size before you send."] },
  TooManyRequests: { means: "Apple got too many pushes to this device in a short time.", todo: ["Send fewer pushes to one device, or use a collapse id."] },
  ServiceUnavailable: { means: "Apple couldn’t answer. The service retries by itself.", todo: [] },
  expired: { means: "It expired while it waited, so it wasn’t sent.", todo: ["If this happens often, raise ttl, or look at why the queue is late."] },
  gone: { means: "Apple reported this device token gone before, so the service skipped it.", todo: ["Delete the device token from your database."] },
  buried: { means: "The service gave up: a dead letter. The push itself is kept.", todo: ["Fix the cause, then resend it from the list of dead letters."] },
  cancelled: { means: "Someone cancelled it before it was sent. The audit tells you who.", todo: [] },
  superseded: { means: "A newer push with the same collapse id was started first.", todo: [] },
  worker_lost: { means: "Its worker was lost while it sent the push. Apple may have received it.", todo: ["Send it again only if receiving it twice is harmless."] },
};
const UNKNOWN = { means: "The connection broke after the push was written. Apple may have received it.", todo: ["Send it again only if receiving it twice is harmless."] };
const OTHER = { means: "", todo: [] };

export const meaning = (kind, reason = "") => Object.hasOwn(REASONS, reason) && (reason || kind === "accepted") ? REASONS[reason] : kind === "unknown" ? UNKNOWN : OTHER;

export const ACTIONS = {
  "app.pause": "paused", "app.resume": "resumed", "campaign.create": "created the campaign", "campaign.start": "started the campaign", "campaign.pause": "paused the campaign", "campaign.resume": "resumed the campaign",
  "campaign.cancel": "cancelled the campaign", "campaign.close": "closed the campaign", "campaign.rate": "changed the rate of the campaign", "dead_letters.redrive": "sent again", "gone_token.forget": "forgot that a device token is gone,", "key.create": "created the key", "key.revoke": "revoked the key", "notification.bury": "buried the push", "notifications.bury": "buried", "app.purge": "erased everything of", "queue.export": "exported the queue", "queue.import": "imported the queue", "queue.unseal": "unsealed the queue",
  "notification.cancel": "cancelled the push", "notifications.cancel": "cancelled waiting pushes", "notifications.erase": "erased the device", "notifications.export": "exported the device", "webhook.retry": "retried the webhook", "webhook.test": "tested the webhook",
};
/// The same for several pushes, before their number.
export const COUNTED = { "dead_letters.redrive": "sent again", "notifications.bury": "buried", "notifications.cancel": "cancelled" };
