internal import Logging
internal import NIOCore

/// How a connection has reached the network.
struct EstablishedChannel {
    /// TCP as far as the server; with a proxy its tunnel.
    var channel: any Channel
    /// Where TCP has led to: an address of the server, or of the proxy.
    var address: NetworkAddress
    /// How long the name was looked up.
    var lookUp: Duration
    /// From the first packet to this address until TCP was there.
    var tcp: Duration
    /// How long the proxy took to open the tunnel; `nil` where there is none.
    var proxy: Duration?

    /// The first measure of the way to the server and back. Through a proxy it is the time until the tunnel was there, which
    /// holds the way to the proxy and the proxy's own to the server, and what it took to look the name up there.
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
