internal import HTTPTypes
internal import Hummingbird
import MockAPNs
import PushHTTP

/// A request to the console, with what its route needs.
struct ConsoleRequest: Sendable {
    /// The mock that the request is about.
    var space: MockSpace
    /// The variable parts of the path, by name.
    var parameters: [String: String]
    /// The parameters of the query. Each name occurs at most once.
    var query: [String: String]
    /// The body of a write; empty for other requests.
    var body: [UInt8]
    /// The header fields.
    var headers: HTTPFields
    /// The request as it arrived.
    var source: Request
    /// The client; `nil` without a connection.
    var client: ConnectedClients.Client?
    /// Where requests that wait are counted and ended.
    var answers: AnswersInProgress

    /// The longest search, in bytes. Every expectation is remembered with its searches.
    private static let longestSearch = 4096

    /// Runs an operation that waits. It is cancelled when the client is gone, or when the console ends.
    ///
    /// - Throws: Errors of the operation, and `CancellationError`.
    func waiting<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await answers.run(for: client, operation)
    }

    /// The body as JSON. An empty body counts as an empty object.
    func json() throws(ConsoleProblem) -> MockJSON {
        if body.isEmpty { return MockJSON(.object([])) }
        if headers[.contentType]?.lowercased().hasPrefix("application/yaml") == true {
            do throws(MockJSONError) {
                return try YAMLReader.read(body)
            } catch {
                throw .invalid(error.message, code: "invalid_yaml", at: error.location)
            }
        }
        do throws(MockJSONError) {
            return try MockJSON(json: body)
        } catch {
            throw .invalid("The body is not JSON: \(error.message)", code: "invalid_json", at: error.location)
        }
    }

    /// The body as an object with these members.
    func form(_ known: String...) throws(ConsoleProblem) -> FormReader { try FormReader(try json(), known: known) }

    /// The search in the query parameter `q`.
    func search() throws(ConsoleProblem) -> MockArrivalSearch {
        try Self.search(query["q"] ?? "", field: "q")
    }

    static func search(
        _ text: String, field: String, at location: MockJSON.Location? = nil
    ) throws(ConsoleProblem) -> MockArrivalSearch {
        guard text.utf8.count <= longestSearch else {
            throw .invalid(
                "The search is longer than \(longestSearch) bytes.", code: "search_too_long", field: field,
                at: location,
                remedy: "Leave out terms, or shorten their values with a star at the end.")
        }
        do throws(MockArrivalSearchError) {
            return try MockArrivalSearch(text)
        } catch {
            var problem = ConsoleProblem.invalid(
                error.description, code: "invalid_search", field: field, at: location,
                remedy: "Correct the search at its character \(error.column). docs/mock-api.md describes the language.")
            let column = error.column
            problem.more = { $0.member("search_column", column) }
            throw problem
        }
    }

    /// A number in the query.
    func number(_ name: String, in range: ClosedRange<Int>) throws(ConsoleProblem) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .invalid(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), not \(text.debugDescription).",
                field: name)
        }
        return number
    }

    /// A number in the path.
    func pathNumber(_ name: String) throws(ConsoleProblem) -> Int {
        guard let number = parameters[name].flatMap({ Int($0) }), number > 0 else {
            throw .notFound("\(parameters[name, default: ""].debugDescription) is not a number.")
        }
        return number
    }
}
