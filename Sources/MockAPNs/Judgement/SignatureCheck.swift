/// The result of verifying the signature of a provider token with its key.
package enum SignatureCheck: Hashable, Sendable {
    /// The key signed these bytes.
    case verified
    /// The key did not sign these bytes.
    case wrong
    /// The mock has no key with this id.
    case unknownKey
    /// Not checked. Allowed if every key is accepted; otherwise the request is rejected.
    case notChecked
}
