import APNSVocabulary
internal import Hummingbird
import MockAPNs
import PushHTTP
import PushJSON

/// The authorities whose client certificates are accepted, and the certificates that were revoked.
enum CertificateRoutes {
    static let all: [ConsoleRoute] = [
        ConsoleRoute(.get, "/v1/authorities") { request in
            .list(request.namespace.mock.authorities) { write($1, to: &$0) }
        },
        ConsoleRoute(.post, "/v1/authorities", handler: trust),
        ConsoleRoute(.delete, "/v1/authorities/{sha256}", handler: distrust),
        ConsoleRoute(.get, "/v1/revoked-certificates") { request in
            .list(request.namespace.mock.revokedCertificates) { $0.member("sha256", $1) }
        },
        ConsoleRoute(.put, "/v1/revoked-certificates/{sha256}", handler: revoke),
        ConsoleRoute(.delete, "/v1/revoked-certificates/{sha256}", handler: restore),
    ]

    // MARK: Authorities

    private static func write(_ authority: MockAuthority, to writer: inout JSONWriter) {
        writer.member("sha256", authority.sha256)
        writer.member("common_name", authority.commonName)
    }

    /// The maximum size of the text with the certificate of an authority, in bytes.
    private static let longestPEM = 64 << 10

    @Sendable private static func trust(_ request: ConsoleRequest) async throws -> Response {
        let form = try request.form("pem")
        let pem = try form.required("pem", try form.string("pem", bytes: 1...longestPEM))
        let mock = request.namespace.mock
        guard mock.authorities.count < MockServer.maximumCertificates else { throw tooMany("authorities") }
        do throws(MockStartError) {
            let authority = try mock.add(authorityPEM: Array(pem.utf8))
            return .object(status: .created) { write(authority, to: &$0) }
        } catch {
            throw form.problem("pem", error.description, remedy: "Give the certificate of the issuer, in PEM.")
        }
    }

    @Sendable private static func distrust(_ request: ConsoleRequest) async throws -> Response {
        let sha256 = try digest(request)
        guard request.namespace.mock.distrust(authority: sha256) else {
            throw APIProblem.notFound(
                "There is no authority \(sha256).", remedy: "GET /v1/authorities lists them.")
        }
        return .noContent
    }

    // MARK: Revoked certificates

    @Sendable private static func revoke(_ request: ConsoleRequest) async throws -> Response {
        _ = try request.form()
        let sha256 = try digest(request)
        guard request.namespace.mock.revokedCertificates.count < MockServer.maximumCertificates else {
            throw tooMany("revoked certificates")
        }
        request.namespace.mock.revokeCertificate(sha256)
        return .object { $0.member("sha256", sha256) }
    }

    @Sendable private static func restore(_ request: ConsoleRequest) async throws -> Response {
        let sha256 = try digest(request)
        guard request.namespace.mock.restoreCertificate(sha256) else {
            throw APIProblem.notFound("The certificate \(sha256) wasn't revoked.")
        }
        return .noContent
    }

    // MARK: Problems

    private static func digest(_ request: ConsoleRequest) throws(APIProblem) -> String {
        let text = request.parameters["sha256"]?.lowercased() ?? ""
        let isHex = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isHex, text.utf8.count == 64 else {
            throw .invalid(
                "Name the certificate by its SHA-256, 64 hex digits.", field: "sha256",
                remedy:
                    "GET /v1/connections has the certificate of each client, and GET /v1/authorities the authorities.")
        }
        return text
    }

    private static func tooMany(_ what: String) -> APIProblem {
        .impossible(
            "There are \(MockServer.maximumCertificates) \(what) already.", code: "too_many_certificates",
            remedy: "Delete one.")
    }
}
