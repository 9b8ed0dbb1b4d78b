/// What the `authorization` header of a request turned out to hold.
public enum ProviderTokenReading: Hashable, Sendable {
    /// There is no header, or nothing behind its `bearer`.
    case absent
    /// There is a header that does not begin with `bearer`, `Basic` for example.
    case otherScheme
    /// There is something, but it is not a provider token; the sentence says why and shows nothing secret.
    case malformed(String)
    /// A provider token that could be read. Whether it is good is for the judgement to say.
    case read(ProviderTokenContent)

    /// What the token says, where there is one.
    public var content: ProviderTokenContent? {
        if case .read(let content) = self { content } else { nil }
    }
}
