import MockAPNs
import MockConsole
import PushJSON
import PushPlatform
import PushProvider

/// What `pushsend verify` asks, and what follows from the answers. A pure value: the same judgement as the mock's says what to expect.
struct Verification: Sendable {
    /// What was found about one question.
    enum Result: String, Sendable {
        case agrees
        case differs
        case notAsked = "not asked"
    }

    struct Finding: Sendable {
        let fact: MockFact
        /// What was sent; empty if there is no question about the fact.
        var text = ""
        var expected = ""
        var answered = ""
        var result = Result.notAsked
        /// Why it was not asked, or why the mock cannot play the answer.
        var note: String?
    }

    private let base: VerifyRequest
    private let state: APNSState
    private let usesKey: Bool
    private let isOwnDevice: Bool
    private var answers: [Int: ProbedAnswer] = [:]
    /// Why the run stopped before its end.
    private(set) var stop: String?

    /// - Parameters:
    ///   - base: The request that each question changes.
    ///   - topic: Its topic.
    ///   - environment: The environment.
    ///   - device: The user's own device, if the requests go to it.
    init(base: VerifyRequest, topic: String, environment: MockEnvironment, device: DeviceToken?) {
        self.base = base
        usesKey = base[APNSHeader.authorization] != nil
        isOwnDevice = device != nil
        var state = APNSState(environment: environment, authentication: .any, unknownTokens: .reject)
        if let device { state.devices.register(MockDevice(token: device, topics: [topic])) }
        self.state = state
    }

    // MARK: Questions

    /// The numbers of the questions of a connection.
    func questions(on connection: VerifyQuestion.Connection) -> [Int] {
        VerifyQuestion.all.indices.filter {
            let question = VerifyQuestion.all[$0]
            return question.connection == connection && (usesKey || !question.needsKey)
        }
    }

    func request(_ number: Int, authority: String) -> ProbedRequest {
        let request = changed(number)
        let pseudo = [
            (":method", request.method), (":scheme", "https"), (":path", request.path), (":authority", authority),
        ]
        return ProbedRequest(pseudo.map { (name: $0.0, value: $0.1) } + request.fields, body: request.body)
    }

    private func changed(_ number: Int) -> VerifyRequest {
        var request = base
        VerifyQuestion.all[number].change(&request)
        return request
    }

    // MARK: Answers

    /// Notes the answer to a question.
    ///
    /// - Returns: Whether to go on. Nothing more may be sent after a 429, or if the credentials are refused.
    mutating func note(_ answer: ProbedAnswer, to number: Int) -> Bool {
        // The reason is all of a body that matters.
        answers[number] = ProbedAnswer(status: answer.status, reason: answer.reason, resetCode: answer.resetCode)
        if answer.status == 429 {
            stop =
                "The server answered 429\(answer.reason.map { " \($0)" } ?? ""): it accepts no more requests for now."
        } else if number == 0, answer.status != 200, answer.status != nil || answer.resetCode != nil {
            let tested = answer.status.map {
                TestedCredentials(PushOutcome.Rejection(status: $0, reason: answer.reason))
            }
            if tested != .accepted {
                let remedy = tested.map { $0.remedy ?? "" } ?? "This may not be an APNs server: check host and port."
                stop = "A correct request got \(Self.text(answer)). \(remedy)"
            }
        }
        return stop == nil
    }

    /// Notes that a connection ended early.
    mutating func noteEnd(_ path: ProbedPath) {
        guard stop == nil, let goAway = path.goAway, let reason = goAway.reason else { return }
        // A server that shuts down, for example, says nothing about the credentials.
        let status = reason.explanation?.status ?? 403
        let tested = TestedCredentials(PushOutcome.Rejection(status: status, reason: reason))
        if status == 429 || [.refused, .topicRefused].contains(tested) {
            stop = "The server ended the connection: \(goAway.description)."
        }
    }

    /// Whether a request got an answer.
    var hasAnswers: Bool { !answers.isEmpty }

    // MARK: Findings

    /// A finding for each question, then one for each fact of the mock's checks that was not asked about.
    var findings: [Finding] {
        let asked = VerifyQuestion.all.indices.map(finding)
        let ids = Set(asked.map(\.fact.id))
        return asked
            + Check.table.map(\.fact).filter { !ids.contains($0.id) }.map { fact in
                Finding(fact: fact, note: Self.whyNotAsked(fact.id))
            }
    }

    private static let ofProviderTokens: Set = [
        "authorization-scheme", "encoding", "algorithm", "signature-form", "signature", "issue-time-form",
        "issue-time-not-ahead", "token-updates",
    ]

    /// Why there is no question about a fact.
    private static func whyNotAsked(_ id: String) -> String {
        if ofProviderTokens.contains(id) {
            return "A run sends two wrong provider tokens at most: more could count as abuse."
        }
        return id.hasPrefix("device-") || id == "magic-token"
            ? "Only a device that exists can tell."
            : "Only other credentials can tell: of another team, app or environment."
    }

    private func finding(_ number: Int) -> Finding {
        let question = VerifyQuestion.all[number]
        let expected = expectation(number)
        var finding = Finding(fact: Self.fact(question.fact), text: question.text)
        finding.expected = Self.text(expected)
        guard usesKey || !question.needsKey else {
            finding.note = "A certificate needs no provider token."
            return finding
        }
        guard let answer = answers[number], answer.status != nil || answer.resetCode != nil else {
            finding.note = stop == nil ? "The connection ended before its answer." : "The run stopped before this one."
            return finding
        }
        finding.answered = Self.text(answer)
        if Self.isProblem(answer) {
            finding.note = "The answer isn't about this: \(finding.answered)."
            return finding
        }
        // What the mock lets through is about the device token, which may be judged otherwise.
        let letsThrough = number != 0 && verdict(number).fact.id == verdict(0).fact.id
        if answer == expected || letsThrough && isPassed(answer) {
            finding.result = .agrees
        } else if expected != passed, isPassed(answer), isHidden(number) {
            finding.note = "The server judges the device token first: only --device can tell."
        } else {
            finding.result = .differs
            if change(number, answer) == nil { finding.note = "The mock can't give this answer." }
        }
        return finding
    }

    /// The answer that the mock would give.
    private func expectation(_ number: Int) -> ProbedAnswer {
        let verdict = verdict(number)
        return ProbedAnswer(status: verdict.status, reason: verdict.reason)
    }

    private func verdict(_ number: Int) -> MockVerdict {
        let request = changed(number)
        let fields = request.fields.map { MockRequest.Field($0.name, $0.value) }
        let authorization = usesKey ? request[APNSHeader.authorization] : Self.anyToken
        return state.judge(
            MockRequest(method: request.method, path: request.path, fields: fields, body: request.body),
            authorizedBy: ProviderTokenReader { _, _, _ in .verified }.read(authorization),
            on: ConnectionFacts(number: 1), at: Date(), ids: .random()
        ).verdict
    }

    /// A readable provider token of now, for a connection with a certificate, which needs none.
    private static var anyToken: String {
        let parts = [
            #"{"alg":"ES256","kid":"ABCDE12345"}"#,
            #"{"iss":"ABCDE12345","iat":\#(Int(Date().timeIntervalSince1970))}"#, String(repeating: "0", count: 64),
        ]
        return "bearer " + parts.map { Data($0.utf8).base64EncodedString().filter { $0 != "=" } }.joined(separator: ".")
    }

    /// The answer to a request that passes all checks.
    private var passed: ProbedAnswer { expectation(0) }

    private func isPassed(_ answer: ProbedAnswer) -> Bool { answer == passed || answer == answers[0] }

    /// What every server refuses that judges it at all: headers; then payloads and provider tokens.
    private static let certain = [
        ["apns-id", "priority-known", "expiration-form"],
        [
            "payload-present", "payload-size", "provider-token-present", "issue-time-not-old", "provider-token-form",
        ],
    ]

    /// Whether the device token seems to be judged before what a question is about: then a made-up one hides what is wrong with the rest.
    private func isHidden(_ number: Int) -> Bool {
        // A server that accepts the device token hides nothing.
        guard !isOwnDevice, answers[0]?.status != 200 else { return false }
        let parts = VerifyQuestion.all[number].connection == .requests ? Self.certain.prefix(1) : Self.certain[...]
        return parts.contains { facts in
            // Without an answer, nothing shows that it judges them first.
            VerifyQuestion.all.indices.filter { facts.contains(VerifyQuestion.all[$0].fact) }
                .compactMap { answers[$0] }.allSatisfy { isPassed($0) || Self.isProblem($0) }
        }
    }

    /// Whether the server is busy or has a problem, so that its answer says nothing about a fact.
    private static func isProblem(_ answer: ProbedAnswer) -> Bool {
        answer.status.map { $0 == 429 || $0 >= 500 } ?? false
    }

    private static func fact(_ id: String) -> MockFact {
        (Check.all.map(\.fact) + SettingFacts.all.values).first { $0.id == id } ?? .accepted
    }

    private static func text(_ answer: ProbedAnswer) -> String {
        if let status = answer.status {
            return "\(status)\(answer.reason.map { " \($0)" } ?? (status == 200 ? "" : " without a reason"))"
        }
        return answer.resetCode.map { "RST_STREAM with code \($0)" } ?? "no answer"
    }

    // MARK: Settings of the mock

    /// The setting with which the mock gives an answer; `nil` if none does.
    private func change(_ number: Int, _ answer: ProbedAnswer) -> (name: String, value: PushJSONValue)? {
        let question = VerifyQuestion.all[number]
        guard answer.status != nil else { return nil }
        if number == 0 { return answer.status == 200 ? ("unknown_tokens", .string("accept")) : nil }
        // Another check has refused it, or none: the mock accepts what the question is about.
        if verdict(number).fact.id != question.fact {
            guard let refusal = question.refusal, let reason = answer.reason else { return nil }
            return (refusal.setting, refusal.value.map(PushJSONValue.bool) ?? .string(reason.rawValue))
        }
        guard Check.all.contains(where: { $0.fact.id == question.fact }) else { return nil }
        if isPassed(answer) { return ("answers", .object([question.fact: .null])) }
        guard let reason = answer.reason, reason.explanation?.status ?? 400 == answer.status else { return nil }
        return ("answers", .object([question.fact: .string(reason.rawValue)]))
    }

    /// All settings with which the mock answers as the server did.
    var settings: [String: PushJSONValue] {
        var settings: [String: PushJSONValue] = [:]
        for (number, finding) in findings.prefix(VerifyQuestion.all.count).enumerated() where finding.result == .differs
        {
            guard let answer = answers[number], let (name, value) = change(number, answer) else { continue }
            if case .object(let new) = value, case .object(let old)? = settings[name] {
                settings[name] = .object(old.merging(new) { $1 })
            } else {
                settings[name] = value
            }
        }
        return settings
    }
}
