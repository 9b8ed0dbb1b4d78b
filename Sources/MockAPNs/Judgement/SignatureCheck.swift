/// The result of holding a provider token's signature against the key that it names.
public enum SignatureCheck: Hashable, Sendable {
    /// The key signed these bytes.
    case verified
    /// The key did not sign these bytes.
    case wrong
    /// The mock has no key of that id.
    case unknownKey
    /// Nobody looked: right where any key is accepted, a rejection elsewhere.
    case notChecked
}
