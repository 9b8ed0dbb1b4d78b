import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON

/// What a client needs to use the mock: addresses, ids, files. Only what the mock made itself is served.
struct SetupRoutes: Sendable {
    let namespaces: MockNamespaces
    let configuration: ConsoleConfiguration

    var all: [ConsoleRoute] {
        [
            ConsoleRoute(.get, "/v1/setup", handler: setup),
            ConsoleRoute(.get, "/v1/ca.pem", scope: .mock, handler: authority),
            ConsoleRoute(.get, "/v1/key.p8", scope: .mock, handler: key),
            ConsoleRoute(
                .get, "/v1/client.p12", scope: .mock, query: ["topic", "password", "legacy"], handler: client),
            ConsoleRoute(.get, "/v1/truststore.p12", scope: .mock, query: ["password"], handler: trustStore),
            ConsoleRoute(.get, "/v1/openapi.json", scope: .mock) { _ in
                Response(WebPage.inbox.document.buffer, type: "application/json")
            },
        ]
    }

    @Sendable private func setup(_ request: ConsoleRequest) async throws -> Response {
        let mock = request.namespace.mock
        let host = RequestGate.hostName(request.source.head.authority ?? "localhost")
        let name = host.isEmpty ? "localhost" : host
        return .object { writer in
            writer.member("version", configuration.version)
            writer.member("instance", configuration.instance.isEmpty ? nil : configuration.instance)
            writer.member("namespace", request.namespace.name)
            writer.member("url", "https://\(name):\(mock.port)")
            writer.member("host", name)
            writer.member("port", mock.port)
            writer.member("sandbox_channels_port", mock.channelsPort(of: .sandbox))
            writer.member("production_channels_port", mock.channelsPort(of: .production))
            writer.member("environment", mock.environment.rawValue)
            writer.member("key_id", mock.credentials.keyID)
            writer.member("key_ids", namespaces.main.mock.keyIDs(choosing: mock))
            writer.member("team_id", mock.credentials.teamID)
            writer.member("ca_pem", mock.credentials.authority)
            writer.member("ca_file", configuration.abilities.authorityFile)
            writer.member("key_file", configuration.abilities.keyFile)
            // A state folder leads to the first mock: the others have only their ports.
            let isMain = request.namespace.name == MockNamespace.main
            writer.member("mock_flags", isMain ? configuration.abilities.mockFlags : nil)
            writer.member("abilities", configuration.abilities.names)
            writer.object("files") { writer in
                writer.member("ca", "/v1/ca.pem")
                writer.member("truststore", "/v1/truststore.p12")
                if mock.credentials.wereMade {
                    writer.member("key", "/v1/key.p8")
                    writer.member("client_certificate", "/v1/client.p12")
                }
            }
            let magic = mock.settings.acceptsMagicTokens ? MockMagicToken.allCases : []
            writer.objects("magic_tokens", magic) { writer, token in
                writer.member("token", token.exampleToken)
                writer.member("answer", token.meaning)
            }
            writer.object("clients") { writer in
                for (client, lines) in ClientSetup.all(host: name, port: mock.port, mock.credentials) {
                    writer.member(client, lines)
                }
            }
        }
    }

    @Sendable private func authority(_ request: ConsoleRequest) async throws -> Response {
        Response(
            Array(namespaces.main.mock.credentials.authority.utf8), type: "application/x-pem-file", fileName: "ca.pem")
    }

    @Sendable private func key(_ request: ConsoleRequest) async throws -> Response {
        let credentials = try ownCredentials()
        return Response(
            Array(credentials.p8.utf8), type: "application/octet-stream",
            fileName: "AuthKey_\(credentials.keyID).p8")
    }

    @Sendable private func client(_ request: ConsoleRequest) async throws -> Response {
        let credentials = try ownCredentials()
        let topic = request.query["topic"] ?? "com.example.app"
        guard !topic.isEmpty, topic.utf8.count <= 200, topic.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw APIProblem.invalid("The topic must be a bundle id.", field: "topic")
        }
        let isLegacy = try request.bool("legacy") ?? false
        do {
            let p12 = try credentials.clientIdentity(
                topic: topic, password: request.query["password"] ?? "mock", isLegacy: isLegacy)
            return Response(p12, type: "application/x-pkcs12", fileName: "client.p12")
        } catch {
            throw APIProblem.impossible("\(error)", code: "cannot_issue")
        }
    }

    @Sendable private func trustStore(_ request: ConsoleRequest) async throws -> Response {
        do {
            let store = try namespaces.main.mock.credentials.trustStore(
                password: request.query["password"] ?? "changeit")
            return Response(store, type: "application/x-pkcs12", fileName: "truststore.p12")
        } catch {
            throw APIProblem.impossible("\(error)", code: "cannot_make")
        }
    }

    private func ownCredentials() throws(APIProblem) -> MockCredentials {
        let credentials = namespaces.main.mock.credentials
        guard credentials.wereMade else {
            throw APIProblem(
                status: .forbidden, code: "not_made_here",
                detail: "The mock serves only keys that it made itself; these come from a folder.",
                remedy: "Read the key from its file, or start the mock with credentials that it makes itself.")
        }
        return credentials
    }
}
