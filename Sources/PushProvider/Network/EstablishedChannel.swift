internal import Logging
internal import NIOCore

/// A connected channel: where it leads and how long each step took.
struct EstablishedChannel {
    /// The TCP connection to the server, or the tunnel through the proxy.
    var channel: any Channel
    /// The address of the server, or of the proxy.
    var address: NetworkAddress
    /// The time of the name lookup.
    var lookUp: Duration
    /// The time to connect TCP to this address.
    var tcp: Duration
    /// The time until the proxy opened the tunnel; `nil` without a proxy.
    var proxy: Duration?

    /// The first estimate of the round-trip time to the server. With a proxy, it is the time until the tunnel was open:
    /// it includes the connection from the proxy to the server and the proxy's name lookup.
    var roundTrip: Duration { proxy ?? tcp }
}

extension EstablishedChannel {
    /// For the log.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "address": "\(address)", "lookup": "\(lookUp.milliseconds) ms", "tcp": "\(tcp.milliseconds) ms",
        ]
        if let proxy { metadata["proxy"] = "\(proxy.milliseconds) ms" }
        return metadata
    }
}

extension Duration {
    /// For the log: whole microseconds, `0.125`.
    fileprivate var milliseconds: Double { Double(clampedNanoseconds / 1000) / 1000 }
}
