internal import NIOCore
internal import PushPlatform
internal import PushWire

/// What a connection tells of itself.
extension ClientConnection {
    /// How it is just now.
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

    /// It has taken what it could, or what there was.
    func noteFullness() {
        let limit = state.limit(freeStreams: wire.http2.freeStreams, bodyRoom: wire.http2.bodyRoom)
        let isStuck = limit == nil && state.phase == .serving && context?.channel.isWritable == false
        let stallsBefore = pace.windowStalls
        pace.filled(upTo: isStuck ? .socket : limit, inFlight: state.inFlight, now: timing.now())
        if pace.windowStalls > stallsBefore { metrics.windowStalled() }
    }

    /// Another one is to take its place, and another way if there is one.
    func leaveForAnotherAddress() {
        forgetAddress()
        drain()
    }

    /// Does something and counts how long it took.
    func working(_ body: () -> Void) {
        let begun = timing.now()
        body()
        pace.worked(for: begun.duration(to: timing.now()))
    }

    /// Tells what it holds; where the kernel is asked, once that has answered.
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
