// Sends the same notification many times with node:http2 over one connection, to compare with SendLoad.
//
//     node_load.js HOST PORT CA-FILE JWT TOKEN COUNT IN-FLIGHT PAYLOAD-FILE
"use strict";

const fs = require("node:fs");
const http2 = require("node:http2");

const [host, port, caFile, jwt, token, count, inFlight, payloadFile] = process.argv.slice(2);
const payload = fs.readFileSync(payloadFile);
const session = http2.connect(`https://${host}:${port}`, { ca: fs.readFileSync(caFile) });
const headers = {
    ":method": "POST",
    ":path": `/3/device/${token}`,
    "authorization": `bearer ${jwt}`,
    "apns-topic": "com.example.app",
    "apns-push-type": "alert",
    "apns-priority": "10",
};
let started = 0;
let accepted = 0;
let ended = 0;

function sendOne() {
    started += 1;
    const stream = session.request(headers);
    stream.on("response", (answer) => { accepted += answer[":status"] === 200; });
    stream.on("error", () => {});
    stream.on("close", () => {
        ended += 1;
        // The first request is alone. Its answer allows more streams.
        const more = ended === 1 ? Number(inFlight) : 1;
        for (let number = 0; number < more && started < Number(count); number++) sendOne();
        if (ended === Number(count)) session.close();
    });
    stream.resume();
    stream.end(payload);
}

session.on("close", () => console.log(`accepted ${accepted}, failed ${Number(count) - accepted}`));
session.on("error", (error) => console.error(String(error)));
sendOne();
