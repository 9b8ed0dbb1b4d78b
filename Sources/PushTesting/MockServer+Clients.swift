import APNSVocabulary
public import MockAPNs
public import PushProvider

extension MockServer {
    /// The mock as the environment of a client: its address, and the certificate authority to trust.
    public var clientEnvironment: PushEnvironment { clientEnvironment(port: port) }

    /// Returns the key that the mock accepts.
    ///
    /// - Throws: `PushCredentialsError` if the mock was given a key that cannot be used.
    public func clientCredentials() throws -> PushCredentials {
        .token(try PushProviderKey(p8: credentials.p8, keyID: credentials.keyID, teamID: credentials.teamID))
    }

    /// Makes a client that sends to this mock. Shut it down before you stop the mock.
    ///
    ///     let mock = try await MockServer.start()
    ///     let client = try mock.client()
    ///
    /// - Parameter configuration: The configuration of the client.
    /// - Returns: The client.
    /// - Throws: `PushConfigurationError` if the configuration is not possible.
    public func client(_ configuration: PushConfiguration = PushConfiguration()) throws -> PushClient {
        try PushClient(
            environment: clientEnvironment, credentials: clientCredentials(), configuration: configuration)
    }

    /// Makes a client that manages the broadcast channels of this mock.
    ///
    /// - Parameter environment: The environment of the channels. The mock needs a port for it: see
    ///   `MockConfiguration.sandboxChannelsPort` and `MockConfiguration.productionChannelsPort`.
    /// - Returns: The client; `nil` if the mock has no port for these channels.
    /// - Throws: `PushCredentialsError`, like `clientCredentials()`.
    public func channelsClient(for environment: MockEnvironment) throws -> PushChannels? {
        guard let port = channelsPort(of: environment) else { return nil }
        return try PushChannels(environment: clientEnvironment(port: port), credentials: clientCredentials())
    }

    private func clientEnvironment(port: Int) -> PushEnvironment {
        // Nobody can connect to an address that stands for all interfaces.
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        return PushEnvironment(host: host, port: port, trust: .authorities(pem: Array(credentials.authority.utf8)))
    }
}
