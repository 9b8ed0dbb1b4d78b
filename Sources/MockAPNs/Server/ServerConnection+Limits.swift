internal import NIOCore
internal import PushWire

/// Limits how long the client may take.
extension ServerConnection {
    func limitHandshake() {
        limits.timers.handshake = after(\.handshakeTime) { connection in
            let wire = connection.wire
            let isReady = wire.tls.isEstablished && wire.http2.peerSettings != nil
            guard !isReady, connection.faults.running.isEmpty else { return nil }
            return LimitExceeded(.handshakeTime, in: connection.limits.limits)
        }
    }

    func limitRequests() {
        limits.timers.requests = after(\.requestTime) { connection in
            let excess = connection.limits.checkRequests(connection.wire.http2)
            if excess == nil { connection.limitRequests() }
            return excess
        }
    }

    /// Limits how long answers wait for window from the client.
    func limitAnswers() {
        limits.timers.answers = after(\.unreadTime) { connection in
            let excess = connection.limits.checkAnswers(connection.wire.http2)
            if excess == nil { connection.limitAnswers() }
            return excess
        }
    }

    /// Limits how long the socket may stay unwritable.
    func limitUnwritable(_ isWritable: Bool) {
        limits.timers.writing?.cancel()
        guard !isWritable else { return }
        limits.timers.writing = after(\.unreadTime) { LimitExceeded(.unreadTime, in: $0.limits.limits) }
    }

    /// Ends the connection after a time, if the client has exceeded a limit by then.
    private func after(
        _ time: KeyPath<MockLimits, Duration?>, _ excess: @escaping (ServerConnection) -> LimitExceeded?
    ) -> Scheduled<Void>? {
        guard let time = limits.limits[keyPath: time] else { return nil }
        return context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            guard let self, !isOver, !faults.isSilent, !faults.isStalledByFault else { return }
            if let excess = excess(self) { refuse(excess) }
        }
    }
}
