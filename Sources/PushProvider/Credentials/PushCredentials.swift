/// With what a client proves who it is.
public struct PushCredentials: Sendable {
    let key: ProviderKey

    /// Provider tokens, signed with a key of Apple's developer portal.
    public static func token(_ key: ProviderKey) -> PushCredentials {
        PushCredentials(key: key)
    }
}
