// Pushes with node:http2 over one connection and prints a JSON object for each answer.
//
//     node_push.mjs ORIGIN CA_FILE PROVIDER_TOKEN TOPIC COUNT DEVICE_TOKEN...
//
// The first device token is pushed to COUNT times, the others once each. The first push goes alone, as APNs wants it.

import { readFileSync } from "node:fs";
import http2 from "node:http2";

const [origin, caFile, providerToken, topic, count, ...deviceTokens] = process.argv.slice(2);
const session = http2.connect(origin, { ca: readFileSync(caFile) });
session.setTimeout(250_000, () => session.destroy(new Error("the mock didn't answer in time")));

const push = (deviceToken) =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/3/device/${deviceToken}`,
      authorization: `bearer ${providerToken}`,
      "apns-topic": topic,
      "apns-push-type": "alert",
    });
    let answer = {};
    let body = "";
    stream.setEncoding("utf8");
    stream.on("response", (headers) => (answer = { status: headers[":status"], apns_id: headers["apns-id"] }));
    stream.on("data", (part) => (body += part));
    stream.on("error", reject);
    stream.on("end", () => resolve(console.log(JSON.stringify({ ...answer, body }))));
    stream.end(JSON.stringify({ aps: { alert: "Hello" } }));
  });

const pushes = [...Array(Number(count)).fill(deviceTokens[0]), ...deviceTokens.slice(1)];
await push(pushes[0]);
await Promise.all(pushes.slice(1).map(push));
session.close();
