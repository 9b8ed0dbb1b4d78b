import APNSVocabulary
import MockAPNs
import PushPlatform

/// One request before the judge: by default a good one, which each test spoils in its own way.
struct Trial: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let hex = String(repeating: "0f", count: 32)
    static let id = "123e4567-e89b-12d3-a456-4266554400a0"
    static let key = MockTrustedKey(keyID: "ABC123DEFG", teamID: "DEF123GHIJ")

    var method = "POST"
    var path = "/3/device/\(Trial.hex)"
    var headers: [String: String] = [
        "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10", "apns-id": Trial.id,
    ]
    var moreFields: [MockRequest.Field] = []
    var body = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    var bodyByteCount: Int?
    var isBeyondStreamLimit = false
    var token = Trial.token()
    var reading: ParsedProviderToken?
    var connection = ConnectionFacts(number: 1)
    var apns = APNSState(trustedKeys: [Trial.key])
    var now = Trial.now

    init(_ spoil: (inout Trial) -> Void = { _ in }) {
        spoil(&self)
    }

    var request: MockRequest {
        let fields = headers.sorted { $0.key < $1.key }.map { MockRequest.Field($0.key, $0.value) }
        return MockRequest(
            method: method, path: path, fields: fields + moreFields, body: body, bodyByteCount: bodyByteCount,
            isBeyondStreamLimit: isBeyondStreamLimit)
    }

    var judgement: Judgement {
        apns.judge(
            request,
            authorizedBy: reading ?? .read(token),
            on: connection,
            at: now,
            ids: MockAnswerIDs(
                messageID: 0x1294_465C_E2AA_61D5_E49A_72E1_A3C7_0BDC,
                uniqueID: 0xABCD_EF00_0000_0000_0000_0000_0000_0001)
        )
    }

    var verdict: MockVerdict { judgement.verdict }
    var reason: RejectionReason? { verdict.reason }

    static func token(
        age: Double = 60,
        algorithm: String = "ES256",
        keyID: String = Trial.key.keyID,
        teamID: String = Trial.key.teamID,
        issueTimeIsText: Bool = false,
        issueTimeIsFraction: Bool = false,
        expiresAt: Date? = nil,
        signature: SignatureCheck = .verified,
        signatureForm: ProviderTokenContent.SignatureForm = .raw,
        isStandardBase64: Bool = false
    ) -> ProviderTokenContent {
        ProviderTokenContent(
            algorithm: algorithm,
            keyID: keyID,
            teamID: teamID,
            issuedAt: now.later(by: -age),
            issueTimeIsText: issueTimeIsText,
            issueTimeIsFraction: issueTimeIsFraction,
            expiresAt: expiresAt,
            signature: signature,
            signatureForm: signatureForm,
            isStandardBase64: isStandardBase64
        )
    }

    static func device(
        _ topics: Set<String> = [],
        environment: MockEnvironment? = nil,
        state: MockDevice.State = .active
    ) throws -> MockDevice {
        MockDevice(token: try DeviceToken(hex), topics: topics, environment: environment, state: state)
    }

    /// A connection with a client certificate.
    static func certified(
        topics: [String] = ["com.example.app"],
        environments: Set<MockEnvironment> = [.sandbox],
        trust: MockClientCertificate.Trust = .trusted
    ) -> ConnectionFacts {
        let certificate = MockClientCertificate(
            commonName: "Apple Push Services: com.example.app", topics: topics, environments: environments,
            trust: trust)
        return ConnectionFacts(number: 1, certificate: certificate)
    }

    /// A connection on which a token was accepted.
    static func connection(
        with token: ProviderTokenContent = Trial.token(),
        at moment: Date = Trial.now
    ) -> ConnectionFacts {
        var facts = ConnectionFacts(number: 1)
        facts.providerTokenAccepted(token, at: moment)
        return facts
    }
}

extension Date {
    func later(by seconds: Double) -> Date {
        Date(timeIntervalSince1970: timeIntervalSince1970 + seconds)
    }
}
