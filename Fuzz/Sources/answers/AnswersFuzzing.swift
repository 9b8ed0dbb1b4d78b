internal import FuzzSupport

@testable internal import MockAPNs
@testable internal import PushJSON
@testable internal import PushProvider
@testable internal import PushWire

/// How the client reads the answers of Apple's servers: bodies and header fields, and the text of a GOAWAY.
enum AnswersFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch input.number(below: 4) {
        case 0: readJSON(input.takeRest())
        case 1: readGoAway(&input)
        case 2: readDate(String(decoding: input.takeRest(), as: UTF8.self))
        default: readAnswer(&input)
        }
    }

    // MARK: JSON

    /// The client and the mock have different JSON readers. Both must agree on which texts are JSON.
    private static func readJSON(_ bytes: [UInt8]) {
        let isObjectToMock = JSONForm.isObject(bytes)
        do throws(JSONMistake) {
            let value = try JSONReader.read(bytes)
            claim(PushJSONValue(json: value.encoded) == value, "a value changes when it is written and read again")
            let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
            if case .object = value, !hasMark { claim(isObjectToMock, "the mock refuses an object that is JSON") }
        } catch {
            claimPrintable(error.problem + error.advice, "an error of JSON")
            let isStricter = error.kind == .nesting || error.kind == .notANumber || error.problem.contains("surrogate")
            claim(!isObjectToMock || isStricter, "the mock accepts a text that is not JSON: \(error)")
        }
        _ = PayloadFacts(of: bytes)
        _ = ReasonBody(bytes)
    }

    // MARK: GOAWAY

    private static func readGoAway(_ input: inout FuzzInput) {
        let goAway = HTTP2GoAway(
            lastStreamID: Int32(bitPattern: input.number32()), errorCode: input.number32(),
            debugData: input.takeRest())
        let text = GoAwayDescription.text(of: goAway)
        claimPrintable(text, "the words of a GOAWAY")
        claim(text.unicodeScalars.count < 300, "the text of a GOAWAY is too long")
        if let refusal = ConnectionFailure.refusedCertificate(goAway, by: "peer") {
            claimPrintable(refusal.description, "a refused certificate")
        }
    }

    // MARK: Dates

    private static func readDate(_ text: String) {
        if let seconds = HTTPDate.seconds(text) {
            // Years have two or four digits.
            claim((-63_000_000_000..<254_000_000_000).contains(seconds), "a date is in an impossible year: \(seconds)")
        }
        if let pause = RetryAfter.pause(text, secondsSince1970: 1_800_000_000) {
            claim(pause >= .zero, "a pause is negative")
        }
    }

    // MARK: Answers

    private static func readAnswer(_ input: inout FuzzInput) {
        let end = streamEnd(&input)
        let trace = PushOutcome.Trace(queued: .zero, inFlight: .zero, attempts: 1, connection: 1)
        let outcome = StreamResult.outcome(
            of: .init(end: end, wasWritten: input.byte() & 1 == 1, apnsID: "id", trace: trace))
        checkFidelity(outcome, end)
        do throws(PushOutcome) { _ = try outcome.get() } catch { claimPrintable(error.description, "an error") }
        _ = ParsedAnswer.serverTime(end.response)
        decide(outcome, &input)
    }

    /// An outcome is "accepted" only with a 200, and never "not sent" if there is a final answer.
    private static func checkFidelity(_ outcome: PushOutcome, _ end: HTTP2StreamEnd) {
        switch outcome {
        case .accepted: claim(end.response.status == 200, "accepted with \(end.response.status ?? 0)")
        case .rejected(let rejection):
            claim(end.response.status == rejection.status && rejection.status != 200, "rejected with another status")
            claim(rejection.body == end.response.body, "the body of a rejection has changed")
        case .notSent:
            claim(end.cause == .unprocessed || end.cause == .connectionLost, "not sent, but the cause is \(end.cause)")
        case .invalid: claim(false, "the answer to a request says nothing about its form")
        case .unknown: claim(end.cause != .unprocessed, "unknown, although it was not processed")
        }
    }

    private static func streamEnd(_ input: inout FuzzInput) -> HTTP2StreamEnd {
        let cause: HTTP2StreamEnd.Cause = input.choice(of: [
            .answered, .unprocessed, .resetByPeer(input.number32()), .resetHere(1), .connectionLost,
        ])
        let statuses: [Int?] = [200, 400, 403, 410, 429, 500, 503, nil, 200 + input.number16() % 800]
        let status = input.choice(of: statuses)
        var headers = HeaderBlock()
        for _ in 0..<input.number(below: 5) {
            let name = input.choice(of: ["apns-id", "apns-unique-id", "retry-after", "date", "server"])
            headers.append(name, bytes: input.piece())
        }
        let body = input.piece()
        let response = HTTP2Response(status: status, headers: headers, body: body, bodyByteCount: body.count)
        return HTTP2StreamEnd(streamID: 1, tag: 0, cause: cause, response: response)
    }

    private static func decide(_ outcome: PushOutcome, _ input: inout FuzzInput) {
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        let situation = RetryDecision.Situation(
            history: RetryHistory(attempts: input.number(below: 4), pauses: input.number(below: 100)), now: now,
            secondsSince1970: 1_800_000_000, limit: now.advanced(by: .seconds(30)), chance: 0.5,
            hasNewToken: input.byte() & 1 == 1)
        switch PushConfiguration.RetryPolicy().decision(outcome, situation) {
        case .final(let reported):
            claim(reported.isSame(as: outcome), "the outcome changes while it is reported")
        case .again(let retry):
            claim(retry.at < situation.limit, "sent again after the deadline")
            if case .accepted = outcome { claim(false, "an accepted notification is sent again") }
            if case .unknown = outcome { claim(false, "an unknown notification is sent again") }
        }
    }
}

extension PushOutcome {
    fileprivate func isSame(as other: PushOutcome) -> Bool {
        switch (self, other) {
        case (.rejected(var left), .rejected(let right)):
            left.againAfter = right.againAfter
            return left == right
        default: return self == other
        }
    }
}

extension AnswersFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let bodies = [
            #"{"reason":"Unregistered","timestamp":1800000000000}"#, #"{"reason":"BadDeviceToken"}"#,
            #"{"aps":{"alert":"\u00e9\ud83d\ude00","badge":1.5e3,"content-available":1},"a":[null,true,false,[]]}"#,
            "", "not JSON",
        ]
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120",
        ]
        var seeds: [String: [UInt8]] = [:]
        for (index, body) in bodies.enumerated() {
            seeds["json-\(index)"] = [0] + Array(body.utf8)
            seeds["goaway-\(index)"] = [1, 0, 0, 0, 1, 0, 0, 0, 0] + Array(body.utf8)
            // Reset code, cause, eight bytes of a status, one field.
            let field = [2] + [UInt8(3)] + Array("120".utf8)
            seeds["answer-\(index)"] =
                [3, 0, 0, 0, 0, 0, 0, 0, UInt8(index + 1), 1] + field + [UInt8(body.utf8.count)] + Array(body.utf8)
        }
        for (index, date) in dates.enumerated() { seeds["date-\(index)"] = [2] + Array(date.utf8) }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(AnswersFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    AnswersFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
