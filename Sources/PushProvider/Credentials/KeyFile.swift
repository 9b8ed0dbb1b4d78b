import PushPlatform
internal import PushWire

/// A small file with key material or certificates, read into memory.
package struct KeyFile {
    package var bytes: [UInt8]
    /// Whether users other than its owner may access it.
    package var isOpenToOthers: Bool

    /// Reads a file or a pipe to its end.
    package init(path: String) throws(PushCredentialsError) {
        if Self.isContents(path) {
            throw PushCredentialsError(.noSuchFile, Self.isContentsProblem)
        }
        let file = try rethrowing(try SmallFile(path, atMost: IdentityFileLimit.maximumBytes)) {
            (error: SmallFile.Failure) in
            Self.failure(error, path)
        }
        (bytes, isOpenToOthers) = (file.bytes, file.isOpenToOthers)
    }

    private static func failure(_ problem: SmallFile.Failure, _ path: String) -> PushCredentialsError {
        switch problem {
        case .missing:
            return PushCredentialsError(.noSuchFile, "There is no file \"\(path)\": check the path.")
        case .folder:
            return PushCredentialsError(.unreadableFile, "\"\(path)\" is a folder, not a file.")
        case .tooLarge:
            return PushCredentialsError(.unreadableFile, "\"\(path)\" is too large for a key or a certificate.")
        case .unreadable:
            let hint = hasDescriptorLeft ? "check its owner and mode" : "this process has no file descriptor left"
            return PushCredentialsError(.unreadableFile, "\"\(path)\" can't be read: \(hint).")
        }
    }

    private static var hasDescriptorLeft: Bool {
        let copy = dup(0)
        if copy >= 0 { close(copy) }
        return copy >= 0 || errno != EMFILE
    }

    /// The warnings about a file that was read from this path.
    func warnings(_ path: String) -> [String] {
        isOpenToOthers ? ["Other users can read \"\(path)\": run chmod 600."] : []
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

    /// What to say about a path that is the key itself.
    package static let isContentsProblem = "This is the text of a key or certificate: give the path of its file."

    /// Whether a path is the key itself by mistake: PEM, base64 of PEM, or the base64 inside PEM. An error with this
    /// "path" would show the key.
    package static func isContents(_ path: String) -> Bool {
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
