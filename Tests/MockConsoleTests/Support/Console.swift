import Foundation
import HTTPTypes
import Hummingbird
import MockAPNs
import NIOCore
import PushHTTP
import PushJSON
import PushProvider
import TestSupport
import Testing

@testable import MockConsole

/// A mock, a client that sends to it, and its API without sockets.
struct Console {
    let mock: MockServer
    let client: PushClient
    let api: ConsoleAPI

    init(
        _ configuration: ConsoleConfiguration = ConsoleConfiguration(),
        _ change: (inout MockConfiguration) -> Void = { _ in }
    ) async throws {
        var mockConfiguration = MockConfiguration()
        change(&mockConfiguration)
        mock = try await MockServer.start(mockConfiguration, credentials: .ofThisProcess)
        client = try PushClient.sample(to: mock)
        api = ConsoleAPI(
            namespaces: MockNamespaces(
                mock, configuration: mockConfiguration, opener: configuration.envelopeOpener, logger: .silent),
            configuration: configuration)
    }

    func end() async {
        api.end()
        await client.shutdown()
        await api.namespaces.stopOthers()
        await mock.stop()
    }

    /// An answer of the API.
    struct Answer {
        var status: Int
        var headers: HTTPFields
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: LocatedJSON? { try? LocatedJSON(json: body) }

        subscript(path: String...) -> LocatedJSON? { json?[path: path] }
    }

    private static let document = OpenAPIDocument(json: WebPage.inbox.document.bytes)

    /// Asks the API. The answer must be as the OpenAPI document has it. An answer without an end of its own can be read while it comes: its text is added to `arriving`.
    @discardableResult
    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, host: String = "localhost",
        headers: [(String, String)] = [], type: String? = "application/json", arriving: Watched<String>? = nil
    ) async -> Answer {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if body != nil || method != .get, let type { fields[.contentType] = type }
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
        let response = await api.respond(to: request)
        let collector = BodyCollector(arriving: arriving)
        try? await response.body.write(collector)
        // The paths of a namespace are the same behind its name, if it exists.
        let described = path.replacing(/^\/v1\/namespaces\/[^\/?]+\//, with: "/v1/")
        let mistakes = Self.document.mistakes(
            inAnswerTo: method.rawValue, described, status: response.status.code,
            type: response.headers[.contentType], body: collector.bytes)
        #expect(mistakes == [] || described != path && response.status == .notFound)
        return Answer(status: response.status.code, headers: response.headers, body: collector.bytes)
    }

    /// Sends a push with a title, and returns its number in the log.
    @discardableResult
    func push(title: String = "Hello", topic: String = "com.example.app") async throws -> Int {
        _ = await client.outcome(
            of: PushNotification(
                to: try DeviceToken(DeviceToken.sampleHex), topic: topic, payload: .alert(title: title, body: "World")))
        return mock.arrivalCount
    }
}

extension Watched<String> {
    /// Waits until each of these texts has come.
    func texts(_ wanted: String...) async throws {
        try await wait(for: "the texts \(wanted)") { text in wanted.allSatisfy { text.contains($0) } }
    }
}

private final class BodyCollector: ResponseBodyWriter {
    var bytes: [UInt8] = []
    private let arriving: Watched<String>?

    init(arriving: Watched<String>?) {
        self.arriving = arriving
    }

    func write(_ buffer: ByteBuffer) async throws {
        bytes += Array(buffer: buffer)
        arriving?.change { $0 += String(buffer: buffer) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
