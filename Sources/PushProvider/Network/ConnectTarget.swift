/// The target of the TCP connection: the server, or the proxy before it.
struct ConnectTarget: CustomStringConvertible {
    var host: String
    var port: Int
    /// Host and port, for error messages.
    var description: String
    /// Whether the server listens on another port, too.
    var hasAlternatePort = false

    init(_ environment: PushEnvironment, through proxy: PushProxy? = nil) {
        host = proxy?.host ?? environment.host
        port = proxy?.port ?? environment.port
        description = proxy.map { "the proxy \($0)" } ?? environment.description
        hasAlternatePort = proxy == nil && environment.appleService != nil && port == APNSHost.port
    }
}
