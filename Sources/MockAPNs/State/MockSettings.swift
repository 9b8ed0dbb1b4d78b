/// What can be changed in a running mock: how it treats unknown device tokens, and how it behaves where the behaviour of the
/// real service is uncertain.
package struct MockSettings: Sendable, Hashable {
    package var unknownTokens: MockUnknownTokenPolicy
    /// Whether device tokens with a documented beginning get the answer of that beginning; see ``MockMagicToken``.
    package var acceptsMagicTokens: Bool
    /// How the mock behaves where the behaviour of the real service is uncertain.
    package var variants: MockVariants
    /// The seed for the random choices of faults. The same seed gives the same choices.
    package var seed: UInt64
}

extension MockSettings {
    package init() {
        self.init(unknownTokens: .accept, acceptsMagicTokens: true, variants: MockVariants(), seed: 1)
    }
}

/// How device tokens that are not in the registry are handled.
public enum MockUnknownTokenPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are accepted as devices of the right app and environment.
    case accept
    /// They get `BadDeviceToken`, like tokens that Apple has never issued.
    case reject
}
