internal import HTTPTypes
internal import Logging
import MockAPNs
internal import NIOConcurrencyHelpers
import PushHTTP
import VirtualPhones

/// The namespaces of a console: the mock from the start, and those that were created later.
final class MockNamespaces: Sendable {
    /// The maximum number of namespaces, with the one from the start.
    static let maximum = 100

    private struct State {
        var namespaces: [String: MockNamespace] = [:]
        var starting: Set<String> = []

        /// Reserves a name while its mock is being started. Returns why it can't; `nil` if the name is reserved.
        mutating func reserve(_ name: String) -> APIProblem? {
            guard namespaces.count + starting.count < MockNamespaces.maximum else {
                return .impossible(
                    "There are \(MockNamespaces.maximum) namespaces already.", code: "too_many_namespaces",
                    remedy: "Delete one that is no longer needed.")
            }
            if namespaces[name] == nil, starting.insert(name).inserted { return nil }
            return .conflict(
                "The namespace \(name) exists already.", code: "namespace_exists", field: "/name",
                remedy: "Choose another name, or delete the namespace first.")
        }
    }

    let main: MockNamespace
    private let configuration: MockConfiguration
    private let opener: PhoneEnvelopeOpener?
    private let logger: Logger
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - mock: The mock from the start.
    ///   - configuration: The configuration for the mocks of new namespaces.
    ///   - opener: Opens sealed payloads on the phones.
    ///   - logger: The logger.
    init(_ mock: MockServer, configuration: MockConfiguration, opener: PhoneEnvelopeOpener? = nil, logger: Logger) {
        main = MockNamespace(name: MockNamespace.main, mock: mock, opener: opener)
        self.configuration = configuration
        self.opener = opener
        self.logger = logger
        state = NIOLockedValueBox(State(namespaces: [main.name: main]))
    }

    subscript(name: String) -> MockNamespace? { state.withLockedValue { $0.namespaces[name] } }

    func find(_ name: String) throws(APIProblem) -> MockNamespace {
        if let namespace = self[name] { return namespace }
        throw .notFound("There is no namespace \(name.debugDescription).", remedy: "POST /v1/namespaces creates one.")
    }

    var all: [MockNamespace] { state.withLockedValue { $0.namespaces.values.sorted { $0.name < $1.name } } }

    /// Starts a mock for a new namespace.
    ///
    /// - Parameters:
    ///   - name: The name: letters, digits, hyphens and underscores, at most 64.
    ///   - port: Its port; 0 for any.
    ///   - keyIDs: The key ids that choose the namespace on the port of the first mock.
    ///   - change: Changes its configuration, which begins as that of the first mock.
    /// - Returns: The namespace.
    /// - Throws: ``APIProblem``.
    func create(
        _ name: String, port: Int, keyIDs: [String] = [], _ change: (inout MockConfiguration) -> Void
    ) async throws(APIProblem) -> MockNamespace {
        if let problem = state.withLockedValue({ $0.reserve(name) }) { throw problem }
        defer { state.withLockedValue { _ = $0.starting.remove(name) } }
        var configuration = configuration
        configuration.port = port
        configuration.sandboxChannelsPort = configuration.sandboxChannelsPort.map { _ in 0 }
        configuration.productionChannelsPort = configuration.productionChannelsPort.map { _ in 0 }
        change(&configuration)
        configuration.namespace = name
        do {
            let mock = try await MockServer.start(configuration, credentials: main.mock.credentials, logger: logger)
            guard main.mock.route(keyIDs: keyIDs, to: mock) else {
                await mock.stop()
                throw APIProblem.conflict(
                    "Another namespace has one of these key ids.", code: "key_id_in_use", field: "/key_ids",
                    remedy: "Choose other key ids, or delete the other namespace.")
            }
            let namespace = MockNamespace(name: name, mock: mock, opener: opener)
            namespace.phones.useFile(of: main.phones)
            state.withLockedValue { $0.namespaces[name] = namespace }
            return namespace
        } catch let problem as APIProblem {
            throw problem
        } catch let error as MockStartError {
            throw .conflict(
                error.description, code: "cannot_listen", field: "/port",
                remedy: "Leave out \"port\" for any free port.")
        } catch {
            throw APIProblem(
                status: .internalServerError, code: "cannot_start", detail: "The mock can't be started.")
        }
    }

    func remove(_ name: String) async throws(APIProblem) {
        guard name != main.name else {
            throw .conflict(
                "The namespace \(name) can't be deleted.", code: "main_namespace",
                remedy: "POST /v1/stop stops the whole mock.")
        }
        guard let namespace = state.withLockedValue({ $0.namespaces.removeValue(forKey: name) }) else {
            throw .notFound("There is no namespace \(name.debugDescription).")
        }
        main.mock.endRoutes(to: namespace.mock)
        namespace.phones.end()
        await namespace.mock.stop()
    }

    func stopOthers() async {
        let others = state.withLockedValue { state in
            defer { state.namespaces = [main.name: main] }
            return state.namespaces.values.filter { $0.name != main.name }
        }
        main.phones.end()
        for namespace in others {
            namespace.phones.end()
            await namespace.mock.stop()
        }
    }
}

/// A mock with its own port, log, devices, faults and clock, for one test or one team.
struct MockNamespace: Sendable {
    /// The name of the namespace that exists from the start.
    static let main = "default"

    let name: String
    var path: String { name == Self.main ? "/v1" : "/v1/namespaces/\(name)" }
    let mock: MockServer
    let stage: Stage
    let phones: PhoneFeed

    init(name: String, mock: MockServer, opener: PhoneEnvelopeOpener?) {
        self.name = name
        self.mock = mock
        stage = Stage(mock)
        phones = PhoneFeed(mock, opener: opener)
    }
}
