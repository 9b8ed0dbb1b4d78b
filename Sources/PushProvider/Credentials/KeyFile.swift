internal import PushWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A small file with key material or certificates, read whole.
package struct KeyFile {
    /// Its contents.
    package var bytes: [UInt8]
    /// Others than its owner may read it.
    package var isOpenToOthers: Bool

    /// No key and no list of authorities comes near this.
    private static let mostBytes = 4 << 20

    package init(path: String) throws(CredentialsError) {
        if Self.isContents(path) {
            throw CredentialsError(
                code: .noSuchFile,
                description: "The text of a key or certificate was given where the path of its file belongs.")
        }
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CredentialsError(code: .noSuchFile, description: "There is no file \"\(path)\": check the path.")
        }
        if isFolder {
            throw CredentialsError(code: .unreadableFile, description: "\"\(path)\" is a folder, not a file.")
        }
        // Of a link, the file behind it counts: a link's own mode is open to everybody.
        var facts = stat()
        let isKnown = stat(path, &facts) == 0
        guard !isKnown || facts.st_size <= Self.mostBytes else {
            throw CredentialsError(
                code: .unreadableFile, description: "\"\(path)\" is too large to be a key or a certificate.")
        }
        guard let read = Self.contents(path) else {
            let hint = Self.hasDescriptorLeft ? "check its owner and mode" : "this process has no file descriptor left"
            throw CredentialsError(code: .unreadableFile, description: "\"\(path)\" cannot be read: \(hint).")
        }
        bytes = read
        // Of a pipe, its mode says nothing.
        isOpenToOthers = isKnown && facts.st_mode & S_IFMT == S_IFREG && facts.st_mode & 0o077 != 0
    }

    /// Reads a file or a pipe to its end, and no further than any key goes.
    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        defer { SecretBytes.wipe(&part) }
        while bytes.count <= mostBytes {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    private static var hasDescriptorLeft: Bool {
        let copy = dup(0)
        if copy >= 0 { close(copy) }
        return copy >= 0 || errno != EMFILE
    }

    /// Contents that were read in another way, such as from standard input.
    package init(bytes: [UInt8], isOpenToOthers: Bool) {
        self.bytes = bytes
        self.isOpenToOthers = isOpenToOthers
    }

    /// Overwrites the contents, when the work with them is done.
    package mutating func wipe() {
        SecretBytes.wipe(&bytes)
    }

    /// Variables are easily mixed up, and an error that named such a file would show the key: PEM, its base64, or the
    /// base64 that is in it.
    private static func isContents(_ path: String) -> Bool {
        path.contains("-----BEGIN") || path.contains("LS0tLS1CRUdJTi")
            || (path.hasPrefix("MI") && path.utf8.count > 100)
    }
}
