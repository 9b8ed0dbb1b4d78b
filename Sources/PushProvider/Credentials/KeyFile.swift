import PushPlatform
internal import PushWire

/// A small file with key material or certificates, read into memory.
package struct KeyFile {
    /// The contents of the file.
    package var bytes: [UInt8]
    /// Whether users other than its owner may access it.
    package var isOpenToOthers: Bool

    /// The maximum size of a file, in bytes. A larger file is refused.
    private static let mostBytes = 4 << 20

    package init(path: String) throws(PushCredentialsError) {
        if Self.isContents(path) {
            throw PushCredentialsError(
                code: .noSuchFile,
                description: "This is the text of a key or certificate: give the path of its file.")
        }
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw PushCredentialsError(code: .noSuchFile, description: "There is no file \"\(path)\": check the path.")
        }
        if isFolder {
            throw PushCredentialsError(code: .unreadableFile, description: "\"\(path)\" is a folder, not a file.")
        }
        // stat() follows a link, because the mode of a link itself has no meaning.
        var facts = stat()
        let isKnown = stat(path, &facts) == 0
        guard !isKnown || facts.st_size <= Self.mostBytes else {
            throw PushCredentialsError(
                code: .unreadableFile, description: "\"\(path)\" is too large for a key or a certificate.")
        }
        guard let read = Self.contents(path) else {
            let hint = Self.hasDescriptorLeft ? "check its owner and mode" : "this process has no file descriptor left"
            throw PushCredentialsError(code: .unreadableFile, description: "\"\(path)\" cannot be read: \(hint).")
        }
        bytes = read
        // The mode of a pipe has no meaning.
        isOpenToOthers = isKnown && facts.st_mode & S_IFMT == S_IFREG && facts.st_mode & 0o077 != 0
    }

    /// Reads a file or a pipe to its end, or up to the maximum size.
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

    /// Creates a key file from contents that were already read, for example from standard input.
    package init(bytes: [UInt8], isOpenToOthers: Bool) {
        self.bytes = bytes
        self.isOpenToOthers = isOpenToOthers
    }

    /// Overwrites the contents. Call it when they are no longer needed.
    package mutating func wipe() {
        SecretBytes.wipe(&bytes)
    }

    /// Whether a path is the key itself by mistake: PEM, base64 of PEM, or the base64 inside PEM. An error with this
    /// "path" would show the key.
    private static func isContents(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        return Self.contains("-----BEGIN", bytes) || Self.contains("LS0tLS1CRUdJTi", bytes)
            || (path.hasPrefix("MI") && bytes.count > 100)
    }

    /// Whether bytes contain a text. The first use of `String.contains` takes 0.05 ms of a program that sends one push.
    private static func contains(_ text: StaticString, _ bytes: [UInt8]) -> Bool {
        text.withUTF8Buffer { wanted in
            guard bytes.count >= wanted.count else { return false }
            return (0...bytes.count - wanted.count).contains { start in
                wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
            }
        }
    }
}
