internal import PushPlatform
internal import PushWire

/// The passphrase of a `.p12` or of a private key.
///
/// Its memory is wiped when the last copy is released, and it is not shown in logs. The string that it was created from
/// is not wiped. To avoid a copy in memory, read the passphrase into bytes, and wipe these.
public struct PushPassphrase: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
    let buffer: SecretBuffer

    /// Creates a passphrase from a string.
    ///
    /// - Parameter text: The passphrase.
    public init(_ text: String) {
        buffer = SecretBuffer(text.utf8)
    }

    /// Creates a passphrase from bytes.
    ///
    /// - Parameter bytes: The passphrase in UTF-8. The caller must wipe them.
    public init(bytes: some Collection<UInt8>) {
        buffer = SecretBuffer(bytes)
    }

    /// Creates a passphrase from the contents of a file: its first line. A byte order mark and the line end do not belong to it.
    package init(firstLineOf contents: [UInt8]) {
        buffer = SecretBuffer(FileText.firstLine(contents))
    }

    /// Reads a passphrase from a file.
    ///
    /// - Throws: ``PushCredentialsError`` if the file cannot be read.
    package init(file path: String) throws(PushCredentialsError) {
        var file = try KeyFile(path: path)
        defer { file.wipe() }
        self.init(firstLineOf: file.bytes)
    }

    /// Creates a passphrase from a string literal.
    ///
    /// - Parameter value: The passphrase.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Whether the passphrase is empty.
    public var isEmpty: Bool { buffer.isEmpty }

    /// A constant text, not the passphrase.
    public var description: String { "(passphrase)" }

    /// A mirror without contents, so that the passphrase is not shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
