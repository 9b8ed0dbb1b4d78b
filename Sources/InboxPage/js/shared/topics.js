// Topics of push types with a suffix belong to the app without it.
const SUFFIX = /\.(push-type\.[\w-]+|voip|voip-ptt|complication|location-query|pushkit\.fileprovider)$/;

export const plainTopic = (topic) => String(topic ?? "").replace(SUFFIX, "");

/// The app of a request: its topic, or the bundle id in the path of a broadcast or of a request about channels.
export const topicOf = (push) => push.topic ?? (/\/apps\/([^/?]+)/.exec(push.path ?? "")?.[1]);
