import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether a push goes through a proxy, and who said so: `--proxy`, `PUSHSEND_PROXY`, or the variables that curl reads.
struct ProxyChoice: Sendable {
    /// `nil` for none.
    var proxy: PushProxy?
    /// The variable that names it, or would: where the place is excepted, curl may see that differently.
    private var variable: String?

    /// No proxy, and nobody speaks of one.
    static let none = ProxyChoice()

    private init() {}

    /// What `--proxy` and the variables say of a place. An empty option means none, whatever the variables say; a mock of
    /// `--mock` runs on this machine, and no variable leads away from it.
    init(
        option: String?, to place: PushEnvironment, isMock: Bool,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let named = PushProxy.variable(in: variables, for: place)
        variable = PushProxy.variableName(in: variables)
        if let option {
            if !option.isEmpty { proxy = try Self.read(option, "--proxy") }
            if proxy != nil { variable = nil }
            return
        }
        guard !isMock else { return }
        if let own = Fallback.value("PROXY") {
            variable = "PUSHSEND_PROXY"
            proxy = try Self.read(own, "PUSHSEND_PROXY")
        } else if let named {
            proxy = try Self.read(named.url, named.name)
        }
    }

    private static func read(_ url: String, _ name: String) throws -> PushProxy {
        do { return try PushProxy(url: url, named: name) } catch {
            throw CommandFailure.usage(error.description)
        }
    }

    /// What a dry run says of it.
    var line: String? {
        proxy.map {
            "through the proxy http://\($0)\($0.hasCredentials ? ", which is told a user and a password" : "")"
        }
    }

    /// What makes curl take the same way. No secret is in it: the shell that runs the command knows it, or is told to ask.
    var curlFlags: [String] {
        guard let proxy else { return variable == nil ? [] : ["--noproxy '*'"] }
        // Who asked for a proxy here gets it for every host.
        let forAll = "--noproxy ''"
        guard proxy.hasCredentials else { return ["--proxy \(ShellWord.quoted("http://\(proxy)"))", forAll] }
        if let variable { return ["--proxy \"$\(variable)\"", forAll] }
        let user = "\"${PROXY_USER:?must hold user:password for the proxy}\""
        return ["--proxy \(ShellWord.quoted("http://\(proxy)"))", "--proxy-user \(user)", forAll]
    }
}
