import NIOConcurrencyHelpers
import PushCommandLine
import PushProvider

/// The files of a certificate and its key.
enum IdentitySource: Equatable {
    case p12(String, name: String?)
    case pem(certificate: String, key: String?)

    func identity(_ passphrase: PushPassphrase?) throws(PushCredentialsError) -> PushIdentity {
        switch self {
        case .p12(let file, let name):
            // The content of a pipe was read before and is kept, so that it can be opened again with another
            // passphrase.
            if let bytes = try? SingleUseInput.contents(file, of: Self.expected) {
                try PushIdentity(p12: bytes, passphrase: passphrase, name: name)
            } else {
                try PushIdentity(p12File: file, passphrase: passphrase, name: name)
            }
        case .pem(let certificate, let key):
            try PushIdentity(certificateFile: certificate, keyFile: key, passphrase: passphrase)
        }
    }

    private static let expected = "a .p12"

    /// Reads a source that can be read only once.
    func readPipe() throws {
        if case .p12(let file, _) = self { _ = try SingleUseInput.contents(file, of: Self.expected) }
    }

    func choosing(_ name: String) -> IdentitySource {
        guard case .p12(let file, _) = self else { return self }
        return .p12(file, name: name)
    }

    var files: [String] {
        switch self {
        case .p12(let file, _): [file]
        case .pem(let certificate, let key): [certificate, key].compactMap(\.self)
        }
    }

    /// The file that the passphrase decrypts.
    var lockedFile: String {
        switch self {
        case .p12(let file, _): file
        case .pem(let certificate, let key): key ?? certificate
        }
    }

    /// The flags for curl with the same files. In a name, a colon would begin a passphrase.
    var curlFlags: [String] {
        func flag(_ name: String, _ path: String) -> String {
            let path = AbsolutePath.of(path)
            return "\(name) \(ShellWord.quoted(name == "--cert" ? path.replacing(":", with: "\\:") : path))"
        }
        switch self {
        case .p12(let file, _): return [flag("--cert", file) + " --cert-type P12"]
        case .pem(let certificate, let key):
            return [flag("--cert", certificate)] + (key.map { [flag("--key", $0)] } ?? [])
        }
    }
}

/// Sources that can be read only once: standard input, and pipes such as `<(...)` in a shell. The content is kept,
/// because payloads and keys are read more than once.
enum SingleUseInput {
    private static let kept = NIOLockedValueBox<[String: [UInt8]]>([:])

    /// Whether a path is such a source: `-`, a pipe, or a device.
    static func isOne(_ path: String) -> Bool { path == "-" || FileKind(path: path) == .stream }

    /// Returns the content, up to a limit that no payload or key exceeds.
    ///
    /// - Parameters:
    ///   - path: `-`, or a path.
    ///   - what: The expected content, for errors.
    /// - Returns: The content; `nil` for a regular file, which can be read again.
    /// - Throws: ``CommandFailure`` if it cannot be read, and with 65 if it is empty.
    static func contents(_ path: String, of what: String) throws -> [UInt8]? {
        guard isOne(path) else { return nil }
        if let known = kept.withLockedValue({ $0[path] }) { return known }
        let bytes = path == "-" ? try StandardInput.read(what) : try PayloadFile.read(path)
        guard !bytes.isEmpty else {
            throw CommandFailure(.invalidInput, "\"\(path)\" is empty, but \(what) was expected.")
        }
        kept.withLockedValue { $0[path] = bytes }
        return bytes
    }
}
