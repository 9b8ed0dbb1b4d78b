import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform

struct NamespaceRoutes: Sendable {
    let namespaces: MockNamespaces

    var all: [ConsoleRoute] {
        [
            ConsoleRoute(.get, "/v1/namespaces", scope: .mock, handler: list),
            ConsoleRoute(.post, "/v1/namespaces", scope: .mock, handler: create),
            ConsoleRoute(.get, "/v1/namespaces/{name}", scope: .mock, handler: one),
            ConsoleRoute(.delete, "/v1/namespaces/{name}", scope: .mock, handler: remove),
        ]
    }

    @Sendable private func list(_ request: ConsoleRequest) async throws -> Response {
        .list(namespaces.all) { write($1, to: &$0) }
    }

    private func write(_ namespace: MockNamespace, to writer: inout JSONWriter) {
        writer.member("name", namespace.name)
        writer.member("port", namespace.mock.port)
        writer.member("sandbox_channels_port", namespace.mock.channelsPort(of: .sandbox))
        writer.member("production_channels_port", namespace.mock.channelsPort(of: .production))
        writer.member("key_ids", namespaces.main.mock.keyIDs(choosing: namespace.mock))
        writer.member("environment", namespace.mock.environment.rawValue)
        writer.member("pushes", namespace.mock.arrivalCount)
    }

    @Sendable private func create(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("name", "port", "key_ids", "environment", "settings")
        let name = try form.required("name", try form.string("name"))
        let letters = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2D || $0 == 0x5F }
        guard letters, (1...64).contains(name.utf8.count) else {
            throw form.problem("name", "A name has 1 to 64 letters, digits, hyphens and underscores.")
        }
        let port = try form.integer("port", in: 0...65_535) ?? 0
        let environment = try form.choice("environment", MockEnvironment.self)
        var settings = namespaces.main.mock.settingsAtStart
        if let tree = form.value("settings") { try SettingsForm.read(tree, at: "/settings", into: &settings) }
        let keyIDs = try keyIDs(form)
        let chosen = settings
        let namespace = try await namespaces.create(name, port: port, keyIDs: keyIDs) { configuration in
            if let environment { configuration.environment = environment }
            configuration.settings = chosen
        }
        return .object(status: .created) { write(namespace, to: &$0) }
    }

    private func keyIDs(_ form: FormReader) throws(APIProblem) -> [String] {
        let ids = try form.strings("key_ids") ?? []
        guard ids.count <= 100 else { throw form.problem("key_ids", "A namespace has at most 100 key ids.") }
        for (index, id) in ids.enumerated() where !KeyRoutes.isKeyID(id) {
            throw .invalid(
                "\(id.debugDescription) must have 10 letters and digits.", field: "\(form.field("key_ids"))/\(index)",
                at: form.value("key_ids")?.position)
        }
        guard !ids.contains(namespaces.main.mock.credentials.keyID) else {
            throw form.problem(
                "key_ids", "\(namespaces.main.mock.credentials.keyID) is the key id of the first namespace.",
                remedy: "Choose any other 10 letters and digits, and sign with the same key.")
        }
        return ids
    }

    @Sendable private func one(_ request: ConsoleRequest) async throws -> Response {
        let namespace = try namespaces.find(request.parameters["name"] ?? "")
        return .object { write(namespace, to: &$0) }
    }

    @Sendable private func remove(_ request: ConsoleRequest) async throws -> Response {
        try await namespaces.remove(request.parameters["name"] ?? "")
        return .noContent
    }
}
