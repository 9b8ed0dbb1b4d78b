#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small file with key material or certificates, read whole.
struct KeyFile {
    /// Its contents.
    var bytes: [UInt8]
    /// Others than its owner may read it.
    var isOpenToOthers: Bool

    /// No key and no list of authorities comes near this.
    private static let mostBytes = 4 << 20

    init(path: String) throws(CredentialsError) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CredentialsError(code: .noSuchFile, description: "There is no file \"\(path)\".")
        }
        if isFolder {
            throw CredentialsError(code: .unreadableFile, description: "\"\(path)\" is a folder, not a file.")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard (attributes?[.size] as? Int ?? 0) <= Self.mostBytes else {
            throw CredentialsError(
                code: .unreadableFile, description: "\"\(path)\" is too large to be a key or a certificate.")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw CredentialsError(
                code: .unreadableFile, description: "\"\(path)\" cannot be read: check its owner and mode.")
        }
        bytes = Array(data)
        let mode = attributes?[.posixPermissions] as? Int ?? 0
        isOpenToOthers = mode & 0o077 != 0
    }
}
