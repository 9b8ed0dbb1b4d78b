// The tile of an app, or of a topic of which only the name is known.
import { tile as drawn } from "../icons.js";
import { plainTopic } from "./topics.js";

export const tile = (app, topic) => drawn(app, plainTopic(topic));
