extension ConnectionFailure {
    static func refused(by proxy: PushProxy, _ answer: ProxyAnswer, to environment: PushEnvironment)
        -> ConnectionFailure
    {
        let status = "\(answer.status)\(answer.reason.isEmpty ? "" : " \(answer.reason)")"
        switch answer.status {
        case 407: return wantsCredentials(proxy, answer)
        case 408, 425, 429, 500, 502, 503, 504:
            return ofProxy("the proxy \(proxy) doesn't reach \(environment) now (\(status)).", isPassing: true)
        case 403, 451:
            return ofProxy(
                "the proxy \(proxy) doesn't allow connections to \(environment) (\(status)). "
                    + "Ask its administrator to allow them.")
        default:
            return ofProxy(
                "the proxy \(proxy) didn't open a tunnel to \(environment) (\(status)): "
                    + "it may be a server, not a proxy.")
        }
    }

    private static func wantsCredentials(_ proxy: PushProxy, _ answer: ProxyAnswer) -> ConnectionFailure {
        let others = answer.schemes.filter { $0.lowercased() != "basic" }
        if !others.isEmpty, others.count == answer.schemes.count {
            return ofProxy(
                "the proxy \(proxy) requires authentication with \(others.joined(separator: " or ")) (407), "
                    + "but only Basic is supported. Ask its administrator to allow Basic.")
        }
        return ofProxy(
            proxy.hasCredentials
                ? "the proxy \(proxy) refuses this user and password (407): correct them in its URL."
                : "the proxy \(proxy) requires a user and a password (407): "
                    + "give them in its URL, http://user:password@host:port."
        )
    }

    /// The answer of the proxy was not valid.
    static func noAnswer(by proxy: PushProxy, _ problem: ProxyAnswerReader.Failure) -> ConnectionFailure {
        switch problem {
        case .speaksTLS:
            ofProxy(
                "the server at \(proxy) speaks TLS and isn't an HTTP proxy: check host and port, or use its HTTP port."
            )
        case .notHTTP(let beginning):
            ofProxy("the server at \(proxy) isn't an HTTP proxy: check host and port. It sent \"\(beginning)\".")
        case .malformed(let line):
            ofProxy("the answer of the proxy \(proxy) to CONNECT violates HTTP in the line \"\(line)\".")
        case .tooLong:
            ofProxy(
                "the answer of the proxy \(proxy) to CONNECT is longer than \(ProxyAnswerReader.maximumBytes) bytes.")
        }
    }

    static func hungUp(_ proxy: PushProxy) -> ConnectionFailure {
        ofProxy("the proxy \(proxy) closed the connection before it answered CONNECT.", isPassing: true)
    }

    static func silent(_ proxy: PushProxy, to environment: PushEnvironment, for timeout: Duration) -> ConnectionFailure
    {
        ofProxy(
            "the proxy \(proxy) didn't open a tunnel to \(environment) within \(timeout.seconds) s.", isPassing: true
        )
    }

    private static func ofProxy(_ message: String, isPassing: Bool = false) -> ConnectionFailure {
        ConnectionFailure(phase: .proxy, description: message, isPassing: isPassing)
    }
}
