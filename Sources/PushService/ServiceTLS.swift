#if PushService
    internal import Hummingbird
    internal import HummingbirdCore
    internal import HummingbirdTLS
    internal import NIOSSL

    /// TLS by files.
    enum ServiceTLS {
        /// Puts TLS below a server, if there are files for it.
        ///
        /// - Throws: ``ServiceStartError`` if the files cannot be used.
        static func server(
            _ plain: HTTPServerBuilder, _ files: APIConfiguration.TLSFiles?
        ) throws -> HTTPServerBuilder {
            guard let files else { return plain }
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
            return try .tls(plain, tlsConfiguration: configuration)
        }
    }
#endif
