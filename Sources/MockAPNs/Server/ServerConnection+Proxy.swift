internal import NIOCore

/// The host and port that a client requested from the mock as a proxy.
extension ServerConnection {
    /// Serves Apple's host, leaves the connection to the relay, or ends it.
    func asked(for destination: ConnectDestination) {
        switch destination {
        case .apns(let host, let api): serve(api, of: host)
        case .refused(let why):
            guard isOver else { return turnAway("the client used CONNECT: \(why)") }
            // No tunnel to another host could be made. Nothing else ends this connection.
            logger.notice("connection \(number) ended: \(why)")
            closeWhenRead()
        case .other(let host, let port):
            // The relay closes the channel.
            isOver = true
            limits.cancelTimers()
            finish(.mock, "the mock relayed a tunnel to \(Finding.quote(host)) on port \(port)")
        }
    }
}
