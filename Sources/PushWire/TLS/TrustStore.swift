internal import CSSL
internal import PushPlatform

/// The certificate authorities that the system trusts, where OpenSSL looks for them.
package struct TrustStore: Equatable, Sendable {
    /// The file with certificates that OpenSSL reads, from `SSL_CERT_FILE` or as OpenSSL was built. It may not exist.
    package var file: String
    /// The folder with certificates that OpenSSL reads, from `SSL_CERT_DIR` or as OpenSSL was built. It may not exist.
    package var folder: String
    /// The file, or the folder if the file has no certificates.
    package var source: String
    package var count: Int
    /// Whether OpenSSL finds the root that Apple's chain needs: USERTrust RSA Certification Authority.
    package var holdsApplesRoot: Bool

    package init(file: String, folder: String, source: String, count: Int, holdsApplesRoot: Bool) {
        (self.file, self.folder, self.source) = (file, folder, source)
        (self.count, self.holdsApplesRoot) = (count, holdsApplesRoot)
    }

    /// Reads the trust store of this process.
    package static func read() -> TrustStore {
        OpenSSLErrorQueue.clear()
        defer { OpenSSLErrorQueue.clear() }
        let file = path(X509_get_default_cert_file_env(), X509_get_default_cert_file())
        let folder = path(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
        let inFile = certificates(in: file)
        return TrustStore(
            file: file, folder: folder, source: inFile > 0 ? file : folder,
            count: inFile > 0 ? inFile : hashedNames(in: folder), holdsApplesRoot: findsApplesRoot())
    }

    private static func path(_ variable: UnsafePointer<CChar>?, _ fallback: UnsafePointer<CChar>?) -> String {
        if let variable, let value = getenv(variable) { return String(cString: value) }
        return fallback.map { String(cString: $0) } ?? ""
    }

    private static func certificates(in file: String) -> Int {
        (try? SmallFile(file, atMost: maximumBytes)).map { PEMCertificates.read($0.bytes).count } ?? 0
    }

    /// The maximum size of the file, in bytes. The usual ones have 250 kB. A larger file counts as one without certificates.
    private static let maximumBytes = 64 << 20

    /// The number of certificates in a folder as `openssl rehash` makes it: files such as `fc5a8f99.0`. A variable may
    /// name several folders, with colons between them.
    private static func hashedNames(in folders: String) -> Int {
        folders.split(separator: ":").reduce(0) { sum, folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? []
            return sum
                + names.count { name in
                    let parts = name.split(separator: ".")
                    return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy(\.isHexDigit)
                        && parts[1].allSatisfy(\.isNumber)
                }
        }
    }

    /// Looks the root up as a handshake does: OpenSSL reads a folder by the hash of the wanted name.
    private static func findsApplesRoot() -> Bool {
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new() else { return false }
        defer { X509_STORE_free(store) }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_set_default_paths(store) == 1, X509_STORE_CTX_init(context, store, nil, nil) == 1,
            let name = applesRootName(), let object = X509_OBJECT_new()
        else { return false }
        defer { X509_NAME_free(name) }
        defer { X509_OBJECT_free(object) }
        return X509_STORE_CTX_get_by_subject(context, X509_LU_X509, name, object) == 1
    }

    private static func applesRootName() -> OpaquePointer? {
        guard let name = X509_NAME_new() else { return nil }
        let parts = [
            ("C", "US"), ("ST", "New Jersey"), ("L", "Jersey City"), ("O", "The USERTRUST Network"),
            ("CN", "USERTrust RSA Certification Authority"),
        ]
        for (field, value) in parts {
            guard X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, value, -1, -1, 0) == 1 else {
                X509_NAME_free(name)
                return nil
            }
        }
        return name
    }
}
