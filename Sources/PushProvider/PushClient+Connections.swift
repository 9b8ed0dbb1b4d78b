internal import NIOCore

extension PushClient {
    /// Changes the maximum number of connections while the client runs. Connections above it finish their requests, and close.
    ///
    /// - Parameter most: The maximum number of connections, at most that of the configuration. With 0, all connections close, and the
    ///   next notification opens one.
    package func limitConnections(to most: Int) {
        let most = min(max(most, 0), configuration.maximumConnections)
        loop.execute { [pool] in pool.value.limit(to: most) }
    }
}
