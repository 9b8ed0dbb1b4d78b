internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import NIOConcurrencyHelpers
internal import NIOSSL
internal import PushProvider
internal import PushWire

/// TLS with files that can be read again. Each new connection uses the files that were read last.
final class ServiceTLS: Sendable {
    private let current = NIOLockedValueBox<NIOSSLContextConfigurationOverride>(.noChanges)

    /// Reads the files, and uses them from now on.
    ///
    /// - Throws: ``ServiceStartError`` if the files cannot be used. The earlier files stay in use.
    func read(_ files: APIConfiguration.TLSFiles) throws(ServiceStartError) {
        let configuration = try Self.configuration(files)
        var new = NIOSSLContextConfigurationOverride()
        (new.certificateChain, new.privateKey) = (configuration.certificateChain, configuration.privateKey)
        current.withLockedValue { $0 = new }
    }

    /// Puts TLS below a server.
    ///
    /// - Throws: ``ServiceStartError`` if the files cannot be used.
    func server(_ plain: HTTPServerBuilder, _ files: APIConfiguration.TLSFiles) throws -> HTTPServerBuilder {
        var configuration = try Self.configuration(files)
        try read(files)
        configuration.sslContextCallback = { [current] _, promise in
            promise.succeed(current.withLockedValue { $0 })
        }
        return try .tls(plain, tlsConfiguration: configuration)
    }

    /// Reads the files, and checks that the key belongs to the certificate.
    private static func configuration(
        _ files: APIConfiguration.TLSFiles
    ) throws(ServiceStartError) -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        do {
            chain = try withPEM(files.certificate) { try NIOSSLCertificate.fromPEMBytes($0) }
            // A text without certificates has none that cannot be read.
            if chain.isEmpty { throw NIOSSLError.failedToLoadCertificate }
        } catch {
            throw ServiceStartError(
                .unusableTLS,
                "The certificate \(files.certificate) can't be read. It must be a PEM file.\(words(files.certificate))"
            )
        }
        do {
            key = try withPEM(files.key) { try NIOSSLPrivateKey(bytes: $0, format: .pem) }
        } catch {
            throw ServiceStartError(
                .unusableTLS,
                """
                The private key \(files.key) can't be read. It must be a PEM file without a passphrase.\(words(files.key))
                """)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw ServiceStartError(
                .unusableTLS,
                """
                The private key \(files.key) doesn't belong to the certificate \(files.certificate). Give a matching key and \
                certificate.
                """)
        }
        return configuration
    }

    /// Reads a file, and restores its PEM if its text was changed on its way.
    private static func withPEM<Result>(_ path: String, _ body: ([UInt8]) throws -> Result) throws -> Result {
        var file = try KeyFile(path: path)
        defer { file.wipe() }
        guard var restored = RestoredFile.bytes(of: file.bytes) else { return try body(file.bytes) }
        defer { SecretBytes.wipe(&restored) }
        return try body(restored)
    }

    /// What a file is instead, as a sentence after a space; empty if that is not known.
    private static func words(_ path: String) -> String {
        guard var file = try? KeyFile(path: path) else { return "" }
        defer { file.wipe() }
        return CredentialFileKind(file.bytes).map { " This one is \($0.words)." } ?? ""
    }
}
