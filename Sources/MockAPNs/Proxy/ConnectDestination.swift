internal import APNSVocabulary

/// What the mock does with a CONNECT request.
enum ConnectDestination: Equatable {
    /// The mock answers instead of Apple's host.
    case apns(host: String, ServedAPI)
    /// A tunnel to another server.
    case other(host: String, port: Int)
    /// The request is refused. The text says why and what to do.
    case refused(String)

    /// - Parameters:
    ///   - host: The host of the request.
    ///   - port: The port of the request.
    ///   - relaysOthers: Whether tunnels to other servers are allowed.
    init(host: String, port: Int, relaysOthers: Bool) {
        // A name may end with the dot of the root.
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        guard APNSHost.all.contains(name) else {
            self =
                relaysOthers
                ? .other(host: host, port: port)
                : .refused(
                    "This mock is a proxy for Apple's push hosts only, not for \(Finding.quote(host)). "
                        + "Exclude the host in NO_PROXY, or allow the mock to relay connections to other servers.")
            return
        }
        guard let api = Self.api(of: name, port) else {
            self = .refused("\(name) doesn't listen on port \(port). Use \(Self.ports(of: name)).")
            return
        }
        self = .apns(host: name, api)
    }

    private static func api(of host: String, _ port: Int) -> ServedAPI? {
        switch host {
        case APNSHost.sandboxChannels: port == APNSHost.sandboxChannelsPort ? .channels(.sandbox) : nil
        case APNSHost.productionChannels: port == APNSHost.productionChannelsPort ? .channels(.production) : nil
        default: [APNSHost.port, APNSHost.alternatePort].contains(port) ? .pushes : nil
        }
    }

    private static func ports(of host: String) -> String {
        switch host {
        case APNSHost.sandboxChannels: "port \(APNSHost.sandboxChannelsPort)"
        case APNSHost.productionChannels: "port \(APNSHost.productionChannelsPort)"
        default: "port \(APNSHost.port) or \(APNSHost.alternatePort)"
        }
    }
}
