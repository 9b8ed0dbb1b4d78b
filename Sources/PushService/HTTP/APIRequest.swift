internal import HTTPTypes
internal import Hummingbird
import PushDelivery
import PushHTTP
import PushJSON
import PushPlatform
import PushQueue

struct APIRequest: WebRequest {
    typealias Scope = KeyScope?

    let parts: ServiceParts
    /// `nil` for a route that needs no key.
    let key: APIKey?
    let parameters: [String: String]
    let query: [String: String]
    let source: Request
    /// `nil` if it is gone.
    let client: ConnectedClients.Client?
    let memory: SharedMemory.Reservation
    let deadline: RequestDeadline
    /// The maximum size of the whole body, in bytes. A longer one is refused with 413. A stream of lines has no limit.
    let bodyBytes: Int
    /// Checks the key again, which may have been revoked since the request began. Throws ``APIProblem``.
    var checkKey: @Sendable () async throws -> Void = {}
    /// `nil` for routes that are not lists.
    var cursors: CursorSeal?

    /// Whose share of the limits the request uses.
    var holder: SharedLimit.Holder { memory.holder }

    /// Runs an operation that waits. It is cancelled when the client is gone, or when the service ends.
    func waiting<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try deadline.pause()
        defer { deadline.resume() }
        return try await parts.answers.run(for: client, operation)
    }

    private static let quickBodyBytes = 8 << 10

    /// Large bodies wait for their turn.
    func reading<Value>(_ count: Int, _ work: () async throws -> Value) async throws -> Value {
        if count <= Self.quickBodyBytes { return try await work() }
        return try await parts.turns.run(for: holder, work)
    }

    // MARK: Lists

    func sealed(_ cursor: String) -> String { cursors?.seal(cursor) ?? cursor }

    func list(_ items: [PushJSONValue], next: String?) -> Response { .list(items, next: next.map(sealed)) }

    // MARK: The body

    func body() async throws -> [UInt8] {
        try await RequestContent.collect(
            source.body, atMost: bodyBytes, memory,
            remedy: "Send fewer at a time, or a stream of lines as application/x-ndjson.")
    }

    /// The body as an object with these members. An empty body is an empty object, unless the members are required.
    func form(_ known: String..., isRequired: Bool = false) async throws -> EntryForm {
        var bytes = try await body()
        if bytes.isEmpty, !isRequired { bytes = Array("{}".utf8) }
        let tree = try await reading(bytes.count) { try Self.json(bytes) }
        try hold(tree)
        return try EntryForm(TreePositions(tree), known: known)
    }

    /// Counts what a body that was read holds, and the copies of its parts.
    func hold(_ tree: JSONTree) throws(SharedMemoryFull) {
        try memory.grow(by: tree.nodes.count * MemoryLayout<JSONTree.Node>.stride + tree.bytes.count)
    }

    static func json(
        _ bytes: [UInt8], firstLine: Int = 1, entries: Int = .max, as place: JSONPlace = .object
    ) throws(APIProblem) -> JSONTree {
        let bounds = JSONReader.Bounds(values: ServiceLimits.jsonValues, entries: entries)
        return try rethrowing(try JSONReader.tree(bytes, within: bounds)) { (error: JSONReader.Excess) in
            problem(error, bytes, bounds, firstLine, place)
        }
    }

    private static func problem(
        _ excess: JSONReader.Excess, _ bytes: [UInt8], _ bounds: JSONReader.Bounds, _ firstLine: Int,
        _ place: JSONPlace
    ) -> APIProblem {
        func position(_ offset: Int) -> TextPosition {
            var position = TextPosition(of: offset, in: bytes)
            position.line += firstLine - 1
            return position
        }
        switch excess {
        case .mistake(let mistake):
            return .invalid(
                place.detail(mistake), code: "invalid_json", at: position(mistake.range.lowerBound),
                remedy: place.remedy(mistake))
        case .values:
            return APIProblem(
                status: .contentTooLarge, code: "too_many_values",
                detail: "The body has more than \(bounds.values) JSON values.",
                remedy: "Send fewer at a time, or a stream of lines as application/x-ndjson.")
        case .entries:
            return .invalid(
                "The array has too many pushes. It must have 1 to \(bounds.entries).", code: "array_size",
                remedy: "Send more as a stream of lines, with content-type: application/x-ndjson.")
        }
    }

    var traceparent: String? { Self.traceField.flatMap { headers[$0] } }

    private static let traceField = HTTPField.Name("traceparent")

    // MARK: The query

    /// In bytes of UTF-8; `nil` if the query has no such text.
    func word(_ name: String, _ range: ClosedRange<Int>) throws(APIProblem) -> String? {
        guard let text = query[name] else { return nil }
        guard range.contains(text.utf8.count) else {
            throw .invalid("\(name) must have \(range.lowerBound) to \(range.upperBound) bytes.", field: name)
        }
        return text
    }

    /// What an entry of a list holds until it is sent, in bytes: the record, its JSON and the text of the answer.
    static let entryBytes = 4 << 10

    func limit() throws(APIProblem) -> Int {
        let limit = try pageLength()
        try hold(entries: limit)
        return limit
    }

    /// Counts the entries of a list against the memory for clients.
    func hold(entries count: Int) throws(APIProblem) {
        try rethrowing(try memory.grow(by: count * Self.entryBytes)) { (error: SharedMemoryFull) in error.problem }
    }

    static let contentsAtOnce = 16

    /// Counts the contents of jobs against the memory for clients, where they are read ``contentsAtOnce`` at a time.
    func hold(contents count: Int) throws(SharedMemoryFull) {
        let each = NewQueueJob.longestPayload + NewQueueJob.longestVariables
        try memory.grow(by: min(count, Self.contentsAtOnce) * each)
    }

    func id() throws(APIProblem) -> UUID {
        guard let id = parameters["id"].flatMap(UUID.init(uuidString:)) else {
            throw .noNotification
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
                "This key is for several apps.", code: "app_missing", field: field,
                remedy: "Name one of them, in the query as app=NAME or in the push as \"app\".")
        }
        return only
    }

    /// The apps that a question is about: the named one, or all of the key.
    func askedApps() throws(APIProblem) -> [String] {
        query["app"] == nil ? apps : [try appName()]
    }

    /// Whether the question is about all apps of the queue, also those that are no longer configured.
    var isAboutAllApps: Bool { query["app"] == nil && key?.isForAllApps == true }

    /// The apps whose outcomes, stored or to come, the question is about.
    func appsWithOutcomes() async throws -> [String] {
        guard isAboutAllApps else { return try askedApps() }
        return Array(Set(apps).union(try await parts.queue.counts().keys))
    }

    var apps: [String] {
        guard let key else { return [] }
        return key.isForAllApps ? parts.apps.names : key.apps.sorted()
    }

    /// Lists show jobs of an app that was taken out of the configuration: to a key that names it, and to a key for all apps while any
    /// of them is not finished.
    private func isKnown(_ name: String) -> Bool {
        parts.apps[name] != nil || key?.apps.contains(name) == true || parts.apps.leftOver().contains(name)
    }

    private static func unknownApp(_ name: String, _ field: String) -> APIProblem {
        APIProblem(
            status: .notFound, code: "unknown_app",
            detail: "There is no app \(String(name.prefix(100)).debugDescription) for this key.", field: field)
    }
}

/// A route of the service. Its scope is what a key must be allowed to do; `nil` if no key is needed.
typealias ServiceRoute = WebRoute<APIRequest>

extension WebPage {
    /// Its files hold no secret, so they need no key.
    static let service = WebPage(PageFiles.all)
}
