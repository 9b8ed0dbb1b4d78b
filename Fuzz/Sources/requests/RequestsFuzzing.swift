internal import FuzzSupport
internal import PushPlatform

@testable internal import APNSVocabulary
@testable internal import MockAPNs
@testable internal import PushWire

/// How the mock reads, checks and answers a request.
enum RequestsFuzzing {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let token = ProviderTokenContent(
        algorithm: "ES256", keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: now, signature: .verified)

    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let apns = apns(&input)
        var facts = connection(&input)
        var reader = RequestReader()
        for _ in 0...input.number(below: 3) {
            let received = received(&input)
            let request = reader.request(received)
            var fresh = RequestReader()
            claim(request == fresh.request(received), "the result depends on the previous request")
            let judgement = judge(request, apns, facts)
            claim(judge(request, apns, facts) == judgement, "the same request gets two verdicts")
            check(judgement.verdict, request, apns)
            claim(judgement.verdict.isAccepted || judgement.effect == nil, "a rejection has an effect")
            facts = judgement.connection
        }
    }

    private static func judge(_ request: MockRequest, _ apns: APNSState, _ facts: ConnectionFacts) -> Judgement {
        apns.judge(
            request, authorizedBy: .read(token), on: facts, at: now, ids: MockAnswerIDs(messageID: 1, uniqueID: 2))
    }

    // MARK: Claims about a verdict

    private static func check(_ verdict: MockVerdict, _ request: MockRequest, _ apns: APNSState) {
        for text in [verdict.detail, verdict.remedy?.description] { claimPrintable(text ?? "", "a verdict") }
        claim(verdict.isAccepted == (verdict.reason == nil), "status and reason contradict each other")
        claim((200..<600).contains(verdict.status), "no answer has the status \(verdict.status)")
        claim(verdict.isAccepted || JSONForm.isObject(verdict.body), "the body of a rejection is not JSON")
        claimPrintable(verdict.messageID, "the id of an answer")
        claim(verdict.messageID.utf8.count == 36, "the id of an answer is not a UUID")
        if case .device(let token) = request.target, token.utf8.count > 40, let detail = verdict.detail {
            let others = request.fields.contains { $0.value.contains(token) }
            claim(others || !detail.utf8.contains(token.utf8), "a verdict contains a whole device token")
        }
        guard verdict.isAccepted else { return }
        claim(request.repeatedHeader == nil, "accepted with a repeated header")
        switch request.target {
        case .device, .broadcast: claim(request.method == "POST", "a push accepted with \(request.method)")
        case .allChannels: claim(request.method == "GET", "a list accepted with \(request.method)")
        case .channels: claim(["GET", "POST", "DELETE"].contains(request.method), "accepted with \(request.method)")
        case .unknown: claim(false, "an unknown path was accepted")
        }
        guard case .device = request.target else { return }
        claim((1...5120).contains(request.bodyByteCount), "accepted with \(request.bodyByteCount) bytes")
        if apns.variants.notJSONReason != nil {
            claim(JSONForm.isObject(request.body), "accepted with a body that is not JSON")
        }
    }

    // MARK: Choices of the input

    private static func apns(_ input: inout FuzzInput) -> APNSState {
        var apns = APNSState(trustedKeys: [MockTrustedKey(keyID: "ABC123DEFG", teamID: "DEF123GHIJ")])
        let choices = input.byte()
        if choices & 1 != 0 { apns.variants.notJSONReason = .badPath }
        if choices & 2 != 0 { apns.unknownTokens = .reject }
        if choices & 4 != 0 { apns.variants.pastExpirationReason = .badExpirationDate }
        if choices & 8 != 0 { apns.environment = .production }
        if choices & 16 != 0, let token = try? DeviceToken("0f0f") {
            apns.devices.register(
                MockDevice(token: token, topics: ["com.example.app"], environment: nil, state: .active))
        }
        return apns
    }

    private static func connection(_ input: inout FuzzInput) -> ConnectionFacts {
        let choices = input.byte()
        let api: ServedAPI = choices & 2 == 0 ? .pushes : .channels(choices & 4 == 0 ? .sandbox : .production)
        guard choices & 1 == 1 else { return ConnectionFacts(number: 1, api: api) }
        let certificate = MockClientCertificate(commonName: input.word(), topics: ["com.example.app", input.word()])
        return ConnectionFacts(number: 1, api: api, certificate: certificate)
    }

    private static let names = [
        ":method", ":path", "apns-topic", "apns-push-type", "apns-priority", "apns-id", "apns-expiration",
        "apns-collapse-id", "authorization", "user-agent", "apns-channel-id", "apns-request-id",
    ]

    private static let methods = ["POST", "GET", "DELETE", "PUT"]
    private static let paths = [
        "/3/device/0f0f", "/4/broadcasts/apps/com.example.app", "/1/apps/com.example.app/channels",
        "/1/apps/com.example.app/all-channels",
    ]

    private static func received(_ input: inout FuzzInput) -> HTTP2Request {
        let choices = Int(input.byte())
        var headers = HeaderBlock([(":method", methods[choices >> 4 & 3])])
        if choices & 1 == 1 { headers.append(":path", paths[choices >> 1 & 3]) }
        for _ in 0..<input.number(below: 9) {
            let name = input.byte()
            if Int(name) < names.count {
                headers.append(names[Int(name)], bytes: input.piece())
            } else {
                headers.append(input.word(), bytes: input.piece())
            }
        }
        let body = input.bytes(input.number16())
        return HTTP2Request(streamID: 1, headers: headers, body: body, bodyByteCount: body.count)
    }
}

extension [UInt8] {
    fileprivate init(_ text: String) { self = [UInt8(text.utf8.count)] + text.utf8 }
}

extension String.UTF8View {
    fileprivate func contains(_ part: String.UTF8View) -> Bool {
        Array(self).indices.contains { dropFirst($0).starts(with: part) }
    }
}

extension RequestsFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let token = String(repeating: "0f", count: 32)
        let fields: [[UInt8]] = [
            [1] + [UInt8]("/3/device/\(token)"), [2] + [UInt8]("com.example.app"), [3] + [UInt8]("alert"),
            [4] + [UInt8]("10"), [5] + [UInt8]("123e4567-e89b-12d3-a456-4266554400a0"), [6] + [UInt8]("1900000000"),
            [7] + [UInt8]("collapse"),
        ]
        let body = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
        // The state of the mock, the connection, and one request without the default path.
        let request = [0, UInt8(fields.count)] + fields.flatMap { $0 } + [0, UInt8(body.count)] + body
        var seeds: [String: [UInt8]] = ["all-fields": [0, 0, 0] + request, "json": [1, 0, 0] + request]
        seeds["certificate"] = [0, 1] + [UInt8]("Push") + [UInt8]("a.b") + [0] + request
        let call = [2] + [UInt8]("com.example.app.voip") + [3] + [UInt8]("voip")
        seeds["registered"] = [18, 0, 0, 1, 2] + call + [0, 2, 0x7B, 0x7D]
        let policy = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
        seeds["create"] = [0, 2, 0, 5, 0, 0, UInt8(policy.count)] + policy
        seeds["list"] = [0, 2, 0, 0x17, 0, 0, 0]
        seeds["delete"] = [0, 6, 0, 0x25, 1, 10] + [UInt8]("YQ==") + [0, 0]
        seeds["broadcast"] =
            [0, 0, 0, 3, 2, 10] + [UInt8]("YQ==") + [5] + [UInt8]("0") + [0, UInt8(body.count)] + body
        for index in fields.indices {
            var fewer = fields
            fewer.remove(at: index)
            seeds["without-\(index)"] =
                [0, 0, 0, 0, UInt8(fewer.count)] + fewer.flatMap { $0 } + [0, UInt8(body.count)] + body
        }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(RequestsFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    RequestsFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
