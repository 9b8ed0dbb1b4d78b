/// What can be changed in a running mock: how it treats unknown device tokens, and how it behaves where the behaviour of the
/// real service is uncertain.
public struct MockSettings: Sendable, Hashable {
    /// How device tokens that are not registered are handled.
    public var unknownTokens: MockUnknownTokenPolicy
    /// Whether device tokens with a documented beginning get the answer of that beginning; see ``MockMagicToken``.
    public var acceptsMagicTokens: Bool
    /// How the mock behaves where the behaviour of the real service is uncertain.
    public var variants: MockVariants
    /// The seed for the random choices of faults. The same seed gives the same choices.
    public var seed: UInt64

    /// Creates the settings that a mock has by default.
    public init() {
        self.init(unknownTokens: .accept, acceptsMagicTokens: true, variants: MockVariants(), seed: 1)
    }

    init(unknownTokens: MockUnknownTokenPolicy, acceptsMagicTokens: Bool, variants: MockVariants, seed: UInt64) {
        self.unknownTokens = unknownTokens
        self.acceptsMagicTokens = acceptsMagicTokens
        self.variants = variants
        self.seed = seed
    }
}

extension MockVariants {
    /// ``tokenUpdateRule`` as a truth value.
    package var countsTokenUpdatesByUse: Bool {
        get { tokenUpdateRule == .sinceFirstUse }
        set { tokenUpdateRule = newValue ? .sinceFirstUse : .betweenIssueTimes }
    }

    /// ``generatedIDLetters`` as a truth value.
    package var generatesLowerCaseID: Bool {
        get { generatedIDLetters == .lower }
        set { generatedIDLetters = newValue ? .lower : .upper }
    }
}

/// How device tokens that are not in the registry are handled.
public enum MockUnknownTokenPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are accepted as devices of the right app and environment.
    case accept
    /// They get `BadDeviceToken`, like tokens that Apple has never issued.
    case reject
}
