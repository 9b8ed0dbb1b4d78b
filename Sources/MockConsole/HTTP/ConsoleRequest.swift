internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
internal import PushPlatform

struct ConsoleRequest: WebRequest {
    enum Scope: Sendable {
        /// The whole mock: the path has no namespace.
        case mock
        /// One namespace: the path may begin with `/v1/namespaces/NAME`.
        case namespace
    }

    var namespace: MockNamespace
    var parameters: [String: String]
    var query: [String: String]
    /// The body of a write; empty for other requests.
    var body: [UInt8]
    var source: Request
    /// The client; `nil` without a connection.
    var client: ConnectedClients.Client?
    var answers: AnswersInProgress

    /// The longest search, in bytes. Every expectation is remembered with its searches.
    private static let longestSearch = 4096

    /// Runs an operation that waits. It is cancelled when the client is gone, or when the console ends.
    ///
    /// - Throws: Errors of the operation, and `CancellationError`.
    func waiting<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await answers.run(for: client, operation)
    }

    /// An empty body counts as an empty object.
    func json() throws(APIProblem) -> LocatedJSON {
        if body.isEmpty { return .emptyObject }
        let isYAML = headers[.contentType]?.lowercased().hasPrefix("application/yaml") == true
        return try rethrowing(isYAML ? try YAMLReader.read(body) : try LocatedJSON(json: body)) {
            (error: JSONTextError) in
            var problem = error.problem
            if !isYAML { (problem.code, problem.detail) = ("invalid_json", "The body isn't JSON: \(error.message)") }
            return problem
        }
    }

    /// The body as JSON, which must be there.
    ///
    /// - Parameter what: What it is: `a fault`.
    /// - Returns: The value.
    /// - Throws: ``APIProblem`` if it is empty or not JSON.
    func document(_ what: String) throws(APIProblem) -> LocatedJSON {
        guard !body.isEmpty else {
            throw .invalid("The body is empty.", code: "empty_body", remedy: "Send \(what) as the body.")
        }
        return try json()
    }

    func form(_ known: String...) throws(APIProblem) -> FormReader { try FormReader(try json(), known: known) }

    func search() throws(APIProblem) -> MockArrivalSearch {
        try Self.search(query["q"] ?? "", field: "q")
    }

    static func search(
        _ text: String, field: String, at location: TextPosition? = nil
    ) throws(APIProblem) -> MockArrivalSearch {
        guard text.utf8.count <= longestSearch else {
            throw .invalid(
                "The search is longer than \(longestSearch) bytes.", code: "search_too_long", field: field,
                at: location,
                remedy: "Leave out terms, or shorten their values with a star at the end.")
        }
        do throws(MockArrivalSearchError) {
            return try MockArrivalSearch(text)
        } catch {
            var problem = APIProblem.invalid(
                error.description, code: "invalid_search", field: field, at: location,
                remedy: "Correct the search at its character \(error.column): "
                    + Documentation.address(of: "docs/mock-api.md#searches"))
            problem.more["search_column"] = .integer(error.column)
            throw problem
        }
    }

    func pathNumber(_ name: String) throws(APIProblem) -> Int {
        guard let number = parameters[name].flatMap({ WholeNumber.of($0) }), number > 0 else {
            throw .notFound("\(parameters[name, default: ""].debugDescription) isn't a number.")
        }
        return number
    }
}

typealias ConsoleRoute = WebRoute<ConsoleRequest>

extension ConsoleRoute {
    /// Most are about one namespace.
    init(
        _ method: HTTPRequest.Method, _ path: String, scope: ConsoleRequest.Scope = .namespace, query: [String] = [],
        accepts: BodyForm = .json, handler: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) {
        self.init(method, path, scope, query: query, accepts: accepts, handler: handler)
    }
}

extension WebPage {
    static let inbox = WebPage(PageFiles.all)
}
