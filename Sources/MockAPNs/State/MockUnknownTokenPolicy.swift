/// How device tokens that are not in the registry are handled.
public enum MockUnknownTokenPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are accepted as devices of the right app and environment.
    case accept
    /// They get `BadDeviceToken`, like tokens that Apple has never issued.
    case reject
}
