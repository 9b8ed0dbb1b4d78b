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
        let (api, ports): (ServedAPI, [Int]) =
            switch name {
            case APNSHost.sandboxChannels: (.channels(.sandbox), [APNSHost.sandboxChannelsPort])
            case APNSHost.productionChannels: (.channels(.production), [APNSHost.productionChannelsPort])
            default: (.pushes, [APNSHost.port, APNSHost.alternatePort])
            }
        guard ports.contains(port) else {
            let known = ports.map(String.init).joined(separator: " or ")
            self = .refused("\(name) doesn't listen on port \(port). Use port \(known).")
            return
        }
        self = .apns(host: name, api)
    }
}
