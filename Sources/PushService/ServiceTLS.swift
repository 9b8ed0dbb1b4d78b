internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import NIOConcurrencyHelpers
internal import NIOSSL

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
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw ServiceStartError(
                .unusableTLS, "The certificate \(files.certificate) cannot be read. It must be a PEM file.")
        }
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw ServiceStartError(
                .unusableTLS,
                "The private key \(files.key) cannot be read. It must be a PEM file without a passphrase.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw ServiceStartError(
                .unusableTLS,
                """
                The private key \(files.key) does not belong to the certificate \(files.certificate). Give a matching key and \
                certificate.
                """)
        }
        return configuration
    }
}
