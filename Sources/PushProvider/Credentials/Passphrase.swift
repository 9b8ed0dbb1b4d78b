internal import PushWire

/// The passphrase of a `.p12` or of a private key.
///
/// Its memory is wiped when the last copy is gone, and it says nothing of itself in logs. A string that it was made of
/// is not wiped: to leave nothing behind, read it into bytes, and wipe those.
public struct Passphrase: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
    let buffer: SecretBuffer

    /// Takes a passphrase as text.
    ///
    /// - Parameter text: The passphrase.
    public init(_ text: String) {
        buffer = SecretBuffer(text.utf8)
    }

    /// Takes a passphrase as bytes.
    ///
    /// - Parameter bytes: The passphrase in UTF-8; they are the caller's to wipe.
    public init(bytes: some Collection<UInt8>) {
        buffer = SecretBuffer(bytes)
    }

    /// Takes a passphrase as text.
    ///
    /// - Parameter value: The passphrase.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Whether it has no characters.
    public var isEmpty: Bool { buffer.isEmpty }

    /// Not the passphrase.
    public var description: String { "(passphrase)" }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
