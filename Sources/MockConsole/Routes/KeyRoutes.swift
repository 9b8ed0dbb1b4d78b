import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
internal import PushPlatform

enum KeyRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/keys") { request in
            .list(request.namespace.mock.trustedKeys) { write($1, to: &$0) }
        },
        ConsoleRoute(.post, "/v1/keys", handler: trust),
        ConsoleRoute(.delete, "/v1/keys/{id}", handler: revoke),
    ]

    private static let maximum = 1000

    private static func write(_ key: MockTrustedKey, to writer: inout JSONWriter) {
        writer.member("key_id", key.keyID)
        writer.member("team_id", key.teamID)
        if let topics = key.topics { writer.member("topics", topics.sorted()) }
        writer.member("related_key_id", key.relatedKeyID)
        if key.environments.count == 1 { writer.member("environment", key.environments.first?.rawValue) }
    }

    @Sendable private static func trust(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("pem", "key_id", "team_id", "topics", "environment", "related_key_id")
        let pem = try form.required("pem", try form.string("pem"))
        let key = MockTrustedKey(
            keyID: try id("key_id", form), teamID: try id("team_id", form),
            environments: try form.choice("environment", MockEnvironment.self).map { [$0] }
                ?? Set(MockEnvironment.allCases),
            topics: try form.topics("topics", atMost: 100),
            relatedKeyID: try form.string("related_key_id") == nil ? nil : try id("related_key_id", form))
        guard key.relatedKeyID == nil || key.topics != nil, key.relatedKeyID != key.keyID else {
            throw form.problem(
                "related_key_id", "Only a topic-specific key has a related key, and it is another key.",
                remedy: "Give topics, and the id of the other key.")
        }
        let mock = request.namespace.mock
        guard !mock.trustedKeys.contains(where: { $0.keyID == key.keyID }) else {
            throw APIProblem.conflict(
                "The key \(key.keyID) is accepted already.", code: "key_exists", field: "/key_id",
                remedy: "DELETE /v1/keys/\(key.keyID) first.")
        }
        guard mock.keyCount < maximum else {
            throw APIProblem.impossible(
                "There are \(maximum) keys already.", code: "too_many_keys", remedy: "Revoke one.")
        }
        try rethrowing(try mock.trust(pem: Array(pem.utf8), as: key)) { (error: MockStartError) in
            form.problem("pem", error.description, remedy: "Give a .p8 file, or a public P-256 key in PEM.")
        }
        return .object(status: .created) { write(key, to: &$0) }
    }

    /// Whether a text has the form of Apple's key ids and team ids.
    static func isKeyID(_ id: String) -> Bool {
        id.utf8.count == 10 && id.utf8.allSatisfy { $0.isASCIILetterOrDigit }
    }

    private static func id(_ name: String, _ form: FormReader) throws(APIProblem) -> String {
        let id = try form.required(name, try form.string(name))
        guard isKeyID(id) else {
            throw form.problem(name, "\(name.debugDescription) must have 10 letters and digits.")
        }
        return id
    }

    @Sendable private static func revoke(_ request: ConsoleRequest) async throws -> Response {
        let id = request.parameters["id"] ?? ""
        guard request.namespace.mock.revokeKey(id) else {
            throw APIProblem.notFound("There is no key \(id.debugDescription).")
        }
        return .noContent
    }
}
