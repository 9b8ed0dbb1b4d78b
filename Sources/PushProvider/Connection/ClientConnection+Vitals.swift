internal import NIOCore
internal import PushPlatform
internal import PushWire

/// The measurements of a connection.
extension ClientConnection {
    /// The state and the speed of the connection now.
    func vitals(onLoop loop: Int) -> ConnectionVitals {
        ConnectionVitals(
            number: number,
            time: timing.now(),
            loop: loop,
            isServing: state.phase == .serving && state.isAuthenticated,
            inFlight: state.inFlight,
            allowedStreams: wire.http2.allowedStreams,
            pace: pace
        )
    }

    /// Records whether the connection is full, and of what, after it has taken from the queue.
    func noteFullness() {
        let limit = state.limit(freeStreams: wire.http2.freeStreams, bodyRoom: wire.http2.bodyRoom)
        let isStuck = limit == nil && state.phase == .serving && context?.channel.isWritable == false
        let stallsBefore = pace.windowStalls
        pace.filled(upTo: isStuck ? .socket : limit, inFlight: state.inFlight, now: timing.now())
        if pace.windowStalls > stallsBefore { metrics.windowStalled() }
    }

    /// Drains the connection, so that another one replaces it, on another address if there is one.
    func leaveForAnotherAddress() {
        forgetAddress()
        drain()
    }

    /// Runs the body and counts the time that it takes.
    func working(_ body: () -> Void) {
        let begun = timing.now()
        body()
        pace.worked(for: begun.duration(to: timing.now()))
    }

    /// Reports the figures for metrics. On Linux, they include the round-trip time from the kernel, so they come later.
    func read(_ tell: @escaping @Sendable (ConnectionFigures) -> Void) {
        let reading = ConnectionFigures(inFlight: state.inFlight, streamLimit: wire.http2.allowedStreams)
        #if os(Linux)
            if let socket = context?.channel as? any SocketOptionProvider {
                return socket.getTCPInfo().whenComplete { result in
                    var reading = reading
                    if case .success(let facts) = result { reading.roundTrip = .microseconds(Int(facts.tcpi_rtt)) }
                    tell(reading)
                }
            }
        #endif
        tell(reading)
    }
}
