import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform

/// Checking, sending and explaining: what a program provides, and the meaning of each reason.
struct AbilityRoutes: Sendable {
    let abilities: ConsoleAbilities

    var all: [ConsoleRoute] {
        [
            ConsoleRoute(.post, "/v1/lint", handler: lint),
            ConsoleRoute(.post, "/v1/send", handler: send),
            ConsoleRoute(.post, "/v1/pushes/{number}/replay", handler: replay),
            ConsoleRoute(.get, "/v1/templates", handler: templates),
            ConsoleRoute(.get, "/v1/reasons", handler: reasons),
        ]
    }

    // MARK: Lint

    @Sendable private func lint(_ request: ConsoleRequest) async throws -> Response {
        guard let lint = abilities.lint else { throw Self.missing("check payloads") }
        let result = lint(try push(request))
        return .list(result.findings, more: { $0.member("fixed", result.repaired) }) { Self.write($1, to: &$0) }
    }

    private static func write(_ finding: PushLinting.Finding, to writer: inout JSONWriter) {
        writer.member("line", finding.position?.line)
        writer.member("column", finding.position?.column)
        writer.member("length", finding.position?.length)
        writer.member("severity", finding.severity)
        writer.member("rule", finding.rule)
        writer.member("subject", finding.subject)
        writer.member("problem", finding.problem)
        writer.member("remedy", finding.remedy)
        writer.member("fixable", finding.isFixable)
    }

    private func push(_ request: ConsoleRequest, needsToken: Bool = false) throws(APIProblem) -> ComposedPush {
        let form = try request.form("payload", "token", "topic", "push_type", "priority", "expiration", "collapse_id")
        var push = ComposedPush(payload: Array(try form.required("payload", try form.string("payload")).utf8))
        push.token = try form.string("token")
        push.topic = try form.string("topic")
        push.pushType = try form.string("push_type")
        // A number, or the text of one as in a header field.
        push.priority = try form.read("priority", "a whole number") { $0.plainText.flatMap(WholeNumber.written) }
        push.expiration = try wholeNumber("expiration", form)
        push.collapseID = try form.string("collapse_id")
        if needsToken { _ = try form.required("token", push.token) }
        return push
    }

    /// The digits of a number of any size, as they are to be sent: the page can repeat what APNs refuses.
    private func wholeNumber(_ name: String, _ form: FormReader) throws(APIProblem) -> String? {
        guard let value = form.value(name) else { return nil }
        let text = value.integer.map(String.init) ?? value.string ?? ""
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard (1...Self.maximumDigits).contains(digits.count), digits.utf8.allSatisfy(\.isASCIIDigit)
        else {
            throw form.problem(name, "\(name.debugDescription) must be a whole number.")
        }
        return text
    }

    /// The maximum number of digits of such a number: those of 2⁶⁴ - 1.
    private static let maximumDigits = 20

    // MARK: Sending

    @Sendable private func send(_ request: ConsoleRequest) async throws -> Response {
        guard let send = abilities.send else { throw Self.missing("send") }
        return try await answer(to: try push(request, needsToken: true), send, request)
    }

    @Sendable private func replay(_ request: ConsoleRequest) async throws -> Response {
        guard let send = abilities.send else { throw Self.missing("send") }
        _ = try request.form()
        let number = try request.pathNumber("number")
        guard let arrival = request.namespace.mock.arrival(numbered: number) else {
            throw APIProblem.notFound("Push \(number) isn't in the log.")
        }
        guard arrival.request.target.app == nil, !arrival.deviceToken.isEmpty else {
            throw APIProblem.impossible("Request \(number) isn't a push to a device.", code: "cannot_replay")
        }
        guard arrival.request.bodyByteCount == arrival.request.body.count else {
            throw APIProblem.impossible(
                "The mock has only the beginning of push \(number).", code: "cannot_replay")
        }
        var push = ComposedPush(payload: arrival.request.body)
        push.token = arrival.deviceToken
        push.topic = arrival.request.topic
        push.pushType = arrival.request.pushType?.rawValue
        push.priority = arrival.request.priority.flatMap { Int($0) }
        push.expiration = arrival.request.expiration
        push.collapseID = arrival.request.collapseID
        return try await answer(to: push, send, request)
    }

    private func answer(
        to push: ComposedPush, _ send: @escaping @Sendable (ComposedPush, MockServer) async throws -> SentPush,
        _ request: ConsoleRequest
    ) async throws -> Response {
        let mock = request.namespace.mock
        do {
            let answer = try await request.waiting { try await send(push, mock) }
            return .object {
                $0.member("status", answer.status)
                $0.member("reason", answer.reason)
                $0.member("apns_id", answer.apnsID)
                $0.member("key_id", mock.credentials.keyID)
            }
        } catch let problem as SendFailure {
            if let member = problem.member { throw APIProblem.invalid(problem.detail, field: "/\(member)") }
            throw APIProblem.impossible(problem.detail, code: "no_answer")
        }
    }

    // MARK: Texts

    @Sendable private func templates(_ request: ConsoleRequest) async throws -> Response {
        guard let templates = abilities.templates else { throw Self.missing("list ready payloads") }
        return .list(templates()) { writer, template in
            writer.member("name", template.name)
            writer.member("about", template.about)
            writer.member("push_type", template.pushType)
            writer.member("topic", template.topic)
            writer.member("collapse_id", template.collapseID)
            writer.member("payload", template.payload)
        }
    }

    @Sendable private func reasons(_ request: ConsoleRequest) async throws -> Response {
        .list(RejectionReason.known.compactMap(\.explanation)) { writer, explanation in
            writer.member("reason", explanation.reason.rawValue)
            writer.member("status", explanation.status)
            writer.member("meaning", explanation.meaning)
            writer.member("fault", explanation.fault)
            writer.member("advice", explanation.advice)
            writer.member("again", explanation.again.rawValue)
            writer.member("ends_device_token", explanation.endsDeviceToken)
        }
    }

    private static func missing(_ what: String) -> APIProblem {
        .notFound(
            "This mock doesn't support it: it can't \(what).",
            remedy: "The program that runs the mock must add it to the configuration of the API.")
    }
}
