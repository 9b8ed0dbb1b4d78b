// Opens streams with node:http2 at once, before the server's SETTINGS can be there, and prints the status of each answer.
//
//     node_burst.mjs ORIGIN CA_FILE PROVIDER_TOKEN TOPIC COUNT DEVICE_TOKEN

import { readFileSync } from "node:fs";
import http2 from "node:http2";

const [origin, caFile, providerToken, topic, count, deviceToken] = process.argv.slice(2);
const session = http2.connect(origin, { ca: readFileSync(caFile) });
session.setTimeout(250_000, () => session.destroy(new Error("the mock didn't answer in time")));

const push = () =>
  new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/3/device/${deviceToken}`,
      authorization: `bearer ${providerToken}`,
      "apns-topic": topic,
      "apns-push-type": "alert",
    });
    let status;
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("error", reject);
    stream.on("end", () => resolve(console.log(status)));
    stream.end(JSON.stringify({ aps: { alert: "Hello" } }));
    stream.resume();
  });

await Promise.all(Array.from({ length: Number(count) }, push));
session.close();
