extension ConnectionFailure {
    /// What a proxy has answered instead of opening a tunnel.
    static func refused(by proxy: PushProxy, _ answer: ProxyAnswer, to environment: PushEnvironment)
        -> ConnectionFailure
    {
        let said = "\(answer.status)\(answer.reason.isEmpty ? "" : " \(answer.reason)")"
        switch answer.status {
        case 407: return wantsCredentials(proxy, answer)
        case 408, 425, 429, 500, 502, 503, 504:
            return ofProxy("the proxy \(proxy) does not reach \(environment) now (\(said)).", isPassing: true)
        case 403, 451:
            return ofProxy(
                "the proxy \(proxy) lets nobody through to \(environment) (\(said)): have whoever runs it allow that.")
        default:
            return ofProxy(
                "the proxy \(proxy) opens no tunnel to \(environment) (\(said)): perhaps it is a server, and no proxy.")
        }
    }

    private static func wantsCredentials(_ proxy: PushProxy, _ answer: ProxyAnswer) -> ConnectionFailure {
        let others = answer.schemes.filter { $0.lowercased() != "basic" }
        if !others.isEmpty, others.count == answer.schemes.count {
            return ofProxy(
                "the proxy \(proxy) wants authentication by \(others.joined(separator: " or ")) (407), and only Basic is "
                    + "supported: have whoever runs it allow that, or this machine without.")
        }
        return ofProxy(
            proxy.hasCredentials
                ? "the proxy \(proxy) does not take this user and password (407): correct them in its URL."
                : "the proxy \(proxy) wants a user and a password (407): name them in its URL, http://user:password@host:port."
        )
    }

    /// What a proxy has answered was no answer.
    static func noAnswer(by proxy: PushProxy, _ problem: ProxyAnswerReader.Problem) -> ConnectionFailure {
        switch problem {
        case .speaksTLS:
            ofProxy(
                "what listens on \(proxy) speaks TLS, and is no HTTP proxy: check host and port, or name its plain port."
            )
        case .notHTTP(let beginning):
            ofProxy("what listens on \(proxy) is no HTTP proxy: check host and port; it said \"\(beginning)\".")
        case .malformed(let line):
            ofProxy("what listens on \(proxy) breaks HTTP in its answer to CONNECT, with the line \"\(line)\".")
        case .tooLong:
            ofProxy("the answer of the proxy \(proxy) to CONNECT is longer than \(ProxyAnswerReader.mostBytes) bytes.")
        }
    }

    static func hungUp(_ proxy: PushProxy) -> ConnectionFailure {
        ofProxy("the proxy \(proxy) closed the connection before it had answered CONNECT.", isPassing: true)
    }

    static func silent(_ proxy: PushProxy, to environment: PushEnvironment, for timeout: Duration) -> ConnectionFailure
    {
        ofProxy(
            "the proxy \(proxy) has not opened a tunnel to \(environment) within \(timeout.seconds) s.", isPassing: true
        )
    }

    private static func ofProxy(_ message: String, isPassing: Bool = false) -> ConnectionFailure {
        ConnectionFailure(phase: .proxy, description: message, isPassing: isPassing)
    }
}
