internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushTime

/// A request with what its route needs.
struct APIRequest: Sendable {
    let parts: ServiceParts
    /// The key; `nil` for a route that needs no key.
    let key: APIKey?
    /// The variable parts of the path, by name.
    let parameters: [String: String]
    /// The parameters of the query. Each name occurs at most once.
    let query: [String: String]
    /// The request as it arrived.
    let source: Request
    /// The client; `nil` if it is gone.
    let client: ConnectedClients.Client?
    /// Checks the key again, which may have been revoked since the request began. Throws ``APIProblem``.
    var checkKey: @Sendable () async throws -> Void = {}

    var headers: HTTPFields { source.headers }

    /// Runs an operation that waits. It is cancelled when the client is gone, or when the service ends.
    func waiting<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await parts.answers.run(for: client, operation)
    }

    // MARK: The body

    /// The whole body, if it has at most this number of bytes; `nil` for the limit of the service.
    func body(atMost most: Int? = nil) async throws -> [UInt8] {
        let most = min(most ?? .max, parts.limits.bodyBytes)
        do {
            return Array(buffer: try await source.body.collect(upTo: most))
        } catch is NIOTooManyBytesError {
            throw APIProblem(
                status: .contentTooLarge, code: "body_too_large",
                detail: "The body is longer than \(most) bytes.",
                remedy: "Send less at once, or a stream of lines as application/x-ndjson.")
        }
    }

    /// The body as an object with these members. An empty body is an empty object.
    func form(_ known: String..., atMost most: Int? = nil) async throws -> EntryForm {
        let bytes = try await body(atMost: most)
        return try EntryForm(
            TreePositions(try Self.json(bytes.isEmpty ? Array("{}".utf8) : bytes)), known: known)
    }

    /// Reads JSON.
    static func json(_ bytes: [UInt8], firstLine: Int = 1) throws(APIProblem) -> JSONTree {
        do throws(JSONMistake) {
            return try JSONReader.tree(bytes)
        } catch {
            var position = TextPosition(of: error.range.lowerBound, in: bytes)
            position.line += firstLine - 1
            throw .invalid(
                "The body is not JSON: \(error.problem).", code: "invalid_json", at: position,
                remedy: error.advice)
        }
    }

    // MARK: The query

    /// A number in the query.
    func number(_ name: String, in range: ClosedRange<Int>) throws(APIProblem) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).", field: name)
        }
        return number
    }

    /// The number of entries of a page.
    func limit() throws(APIProblem) -> Int { try number("limit", in: 1...1000) ?? 100 }

    func bool(_ name: String) throws(APIProblem) -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid("\(name) must be true or false.", field: name)
        }
    }

    func duration(_ name: String, atMost most: Duration) throws(APIProblem) -> Duration? {
        guard let text = query[name] else { return nil }
        guard let duration = Duration(unitText: text, isWhole: true), duration <= most else {
            throw .invalid(
                "\(name) must be a duration of at most \(most.components.seconds)s.", field: name,
                remedy: "Write a number and its unit: 10s.")
        }
        return duration
    }

    /// The id in the path.
    func id() throws(APIProblem) -> UUID {
        guard let id = parameters["id"].flatMap(UUID.init(uuidString:)) else {
            throw .notFound("There is no such notification.")
        }
        return id
    }

    // MARK: The apps of the key

    /// The settings of a named app, or of the only one.
    func app(_ named: String?, field: String) throws(APIProblem) -> AppSettings {
        let name = try appName(named, field: field)
        guard let settings = parts.apps[name] else { throw Self.unknownApp(name, field) }
        return settings
    }

    /// The app that the request names in the query or in its body; otherwise the only one of the key.
    func appName(_ named: String? = nil, field: String = "app") throws(APIProblem) -> String {
        let asked = query["app"]
        if let asked, let named, asked != named {
            throw .invalid("The query and the body name different apps.", field: field, remedy: "Name one app.")
        }
        if let name = named ?? asked {
            guard let key, key.isFor(name), isKnown(name) else { throw Self.unknownApp(name, field) }
            return name
        }
        let apps = apps
        guard apps.count == 1, let only = apps.first else {
            throw .invalid(
                "The key is for several apps.", code: "app_missing", field: field,
                remedy: "Name one, in the query as app=NAME or in the push as \"app\".")
        }
        return only
    }

    /// The apps that a question is about: the named one, or all of the key.
    func askedApps() throws(APIProblem) -> [String] {
        query["app"] == nil ? apps : [try appName()]
    }

    /// All apps of the key, in order.
    var apps: [String] {
        guard let key else { return [] }
        return key.isForAllApps ? parts.apps.names : key.apps.sorted()
    }

    /// Jobs of an app stay visible when the app was taken out of the configuration: to a key that names it, and to a key for all
    /// apps while any of them is not finished.
    private func isKnown(_ name: String) -> Bool {
        parts.apps[name] != nil || key?.apps.contains(name) == true || parts.apps.leftOver().contains(name)
    }

    private static func unknownApp(_ name: String, _ field: String) -> APIProblem {
        APIProblem(
            status: .notFound, code: "unknown_app",
            detail: "There is no app \(String(name.prefix(100)).debugDescription) for this key.", field: field)
    }
}
