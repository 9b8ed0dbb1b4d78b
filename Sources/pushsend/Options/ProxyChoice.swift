import PushCommandLine
import PushPlatform
import PushProvider

/// The proxy for a push, if any, and its source: `--proxy`, `PUSHSEND_PROXY`, a profile, or the variables that curl reads.
struct ProxyChoice: Sendable {
    var proxy: PushProxy?
    /// The variable that names the proxy, even if the host is excluded from it: curl may apply the exclusion
    /// differently.
    private var variable: String?

    /// No proxy, and none configured.
    static let none = ProxyChoice()

    private init() {}

    /// Reads the proxy for a host from `--proxy`, the settings and the variables of curl. An empty option means no proxy, whatever the
    /// variables contain. With `--mock` the mock runs on this machine, so the variables are ignored.
    init(
        option: String?, setting: Setting?, to environment: PushEnvironment, isMock: Bool,
        variables: [String: String] = Variables.ofProcess.only(PushProxy.variables + PushProxy.exceptions)
    ) throws {
        let named = PushProxy.variable(in: variables, for: environment)
        variable = PushProxy.variableName(in: variables)
        if let option {
            if !option.isEmpty { proxy = try PushProxy(url: option, named: "--proxy") }
            if proxy != nil { variable = nil }
            return
        }
        guard !isMock else { return }
        if let setting {
            // Variables of curl do not count beside an empty value.
            guard !setting.value.isEmpty else { return }
            variable = setting.origin.isFile ? nil : setting.origin.description
            proxy = try PushProxy(url: setting.value, named: setting.origin.description)
        } else if let named {
            proxy = try PushProxy(url: named.url, named: named.name)
        }
    }

    /// The line of a dry run about the proxy.
    var line: String? {
        proxy.map {
            "through the proxy http://\($0)\($0.hasCredentials ? ", with a user name and a password" : "")"
        }
    }

    /// The flags with which curl uses the same proxy. They contain no secret: the shell reads it from the variable, or
    /// asks for it.
    var curlFlags: [String] {
        guard let proxy else { return variable == nil ? [] : ["--noproxy '*'"] }
        // A proxy that was chosen here applies to every host.
        let forAll = "--noproxy ''"
        guard proxy.hasCredentials else { return ["--proxy \(ShellWord.quoted("http://\(proxy)"))", forAll] }
        if let variable { return ["--proxy \"$\(variable)\"", forAll] }
        let user = "\"${PROXY_USER:?must hold user:password for the proxy}\""
        return ["--proxy \(ShellWord.quoted("http://\(proxy)"))", "--proxy-user \(user)", forAll]
    }
}

extension PushConfiguration {
    init(forFewRequestsThrough proxy: ProxyChoice, within timeout: Duration?) {
        self.init()
        self.proxy = proxy.proxy
        // Only one host is resolved, so waiting longer than the timeout is useless.
        resolveTimeout = min(resolveTimeout, timeout ?? self.timeout)
        connectTimeout = min(connectTimeout, timeout ?? self.timeout)
        // A user at the terminal should see at once that no server listens.
        retry.retriesConnecting = false
        retry.attempts = 3
    }
}
