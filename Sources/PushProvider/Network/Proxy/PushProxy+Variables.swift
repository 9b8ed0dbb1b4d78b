extension PushProxy {
    /// The variables that can name a proxy, in the order in which they are read. The first one that is not empty is
    /// used, as with curl.
    package static let variables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    /// The variables that can list hosts to reach without a proxy.
    package static let exceptions = ["no_proxy", "NO_PROXY"]

    /// Returns the proxy that environment variables name for a server. It reads them like curl: `https_proxy`,
    /// `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`, unless `no_proxy` or `NO_PROXY` lists the server. The library reads no
    /// environment variable by itself:
    ///
    ///     configuration.proxy = try PushProxy.named(in: ProcessInfo.processInfo.environment, for: .production)
    ///
    /// - Parameters:
    ///   - variables: The variables with their values.
    ///   - environment: The server.
    /// - Returns: The proxy; `nil` if there is none for this server.
    /// - Throws: ``PushConfigurationError`` with the name of the variable if its value is not a valid proxy.
    public static func named(
        in variables: [String: String], for environment: PushEnvironment
    ) throws(PushConfigurationError) -> PushProxy? {
        guard let (name, url) = variable(in: variables, for: environment) else { return nil }
        return try PushProxy(url: url, named: name)
    }

    /// The variable that names the proxy for a server, and its value.
    package static func variable(
        in variables: [String: String], for environment: PushEnvironment
    ) -> (name: String, url: String)? {
        guard let chosen = first(of: Self.variables, in: variables) else { return nil }
        let exceptions = NoProxyList(first(of: exceptions, in: variables)?.url ?? "")
        return exceptions.contains(host: environment.host, port: environment.port) ? nil : chosen
    }

    /// The variable that names a proxy, without regard to `no_proxy`.
    package static func variableName(in variables: [String: String]) -> String? {
        first(of: Self.variables, in: variables)?.name
    }

    private static func first(
        of names: [String], in variables: [String: String]
    ) -> (name: String, url: String)? {
        names.lazy.compactMap { name in variables[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }
}
