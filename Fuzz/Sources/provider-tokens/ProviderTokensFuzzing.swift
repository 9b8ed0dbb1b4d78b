internal import FuzzSupport
internal import PushPlatform

@testable internal import MockAPNs
@testable internal import PushWire

/// How the mock reads and checks the `authorization` of a request. Without the key, it must reject every request.
enum ProviderTokensFuzzing {
    private static let keyID = "ABC123DEFG"
    private static let teamID = "DEF123GHIJ"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let key = expected { try SigningKey.generate() }

    private static let reader = ProviderTokenReader { header, message, signature in
        guard header.kid == Self.keyID else { return .unknownKey }
        return key.verifyingKey.verify(signature: signature, over: message) ? .verified : .wrong
    }
    private static let apns = APNSState(trustedKeys: [MockTrustedKey(keyID: keyID, teamID: teamID)])

    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch input.number(below: 4) {
        case 0: read(String(decoding: input.takeRest(), as: UTF8.self), isSigned: false)
        case 1: checkBase64(input.takeRest())
        case 2: readParts(&input, isSigned: true)
        default: readParts(&input, isSigned: false)
        }
    }

    /// Header and claims from the input, in base64, so that the mock decodes them and checks their contents.
    private static func readParts(_ input: inout FuzzInput, isSigned: Bool) {
        let header = input.piece()
        let claims = input.piece()
        let content = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        let signature = isSigned ? expected { try key.sign(content.utf8) } : input.takeRest()
        read("bearer \(content).\(Base64URL.encode(signature))", isSigned: isSigned)
    }

    private static func read(_ authorization: String, isSigned: Bool) {
        let reading = reader.read(authorization)
        claim(reader.read(authorization) == reading, "the same token is read in two ways")
        if case .malformed(let why) = reading { claimPrintable(why, "why a token is malformed") }
        if let token = reading.content {
            claim(isSigned || token.signature != .verified, "a signature was made without the key")
            claim(!isSigned || token.signature != .wrong, "a good signature is refused")
        }
        judge(reading)
    }

    private static func judge(_ reading: ParsedProviderToken) {
        let request = MockRequest(
            method: "POST", path: "/3/device/0f0f", fields: [.init("apns-topic", "com.example.app")],
            body: Array("{}".utf8))
        let judgement = apns.judge(
            request, authorizedBy: reading, on: ConnectionFacts(number: 1), at: now,
            ids: MockAnswerIDs(messageID: 1, uniqueID: 2))
        let verdict = judgement.verdict
        for text in [verdict.detail, verdict.remedy?.description] { claimPrintable(text ?? "", "a verdict") }
        guard verdict.isAccepted else {
            claim(!judgement.connection.isAuthenticated, "a refused token has authenticated its connection")
            return
        }
        guard let token = reading.content else { return claim(false, "a request without a token is accepted") }
        claim(token.signature == .verified, "accepted without a good signature")
        // One library sends ES512 with an ES256 signature; see MockVariants.acceptsES512Name.
        claim(["ES256", "ES512"].contains(token.algorithm), "accepted with another algorithm")
        claim(token.teamID == teamID && token.keyID == keyID, "accepted for another team or key")
        claim(abs(token.issuedAt.timeIntervalSince(now)) <= 3600, "accepted outside its hour")
    }

    private static func checkBase64(_ bytes: [UInt8]) {
        claim(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base64 changes the bytes")
        let text = String(decoding: bytes, as: UTF8.self)
        guard let decoded = Base64URL.decode(text) else { return }
        let plain = text.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        claim(Base64URL.encode(decoded) == String(plain), "two texts mean the same bytes")
    }
}

extension ProviderTokensFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
        let claims = [
            #"{"iss":"DEF123GHIJ","iat":1800000000}"#, #"{"iss":"DEF123GHIJ","iat":"1799999000"}"#,
            #"{"iss":"DEF123GHIJ","iat":1.8e9,"aud":[{}]}"#,
        ]
        func piece(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
        var seeds: [String: [UInt8]] = [
            "bearer": [0] + Array("bearer \(Base64URL.encode(header)).e30.AA".utf8),
            "base64": [1] + Array("AAEC_-0=".utf8),
        ]
        for (index, claims) in claims.enumerated() {
            seeds["signed-\(index)"] = [2] + piece(header) + piece(claims)
            seeds["unsigned-\(index)"] = [3] + piece(header) + piece(claims) + [UInt8](repeating: 1, count: 64)
        }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(ProviderTokensFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    ProviderTokensFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
