internal import PushWire

/// The faults of one connection: which run, and what they have done to it.
struct FaultRuns {
    /// The running faults, by the stream of their request or by their moment.
    private(set) var running: [Int32: FaultRun] = [:]
    /// A fault that acts as soon as the TLS handshake is complete.
    private var opening: FaultRun?
    /// Faults that have more to send, and wait until the client has read enough.
    private var waitingForRoom: [FaultRun] = []
    /// Streams on which a fault has acted before their request was complete.
    private var streamsOverBeforeBody: Set<Int32> = []
    /// The streams of `streamsOverBeforeBody` that have ended: after the events in the queue, no more events follow for them.
    private var streamsToForget: [Int32] = []
    /// The last stream id of the GOAWAY that was sent. Streams above it are not processed.
    var lastStreamTaken = Int32.max

    // What faults have done to the connection.
    /// Nothing is read before TLS.
    var holdsReads = false
    var readsNothing = false
    /// Whether reading and sending have stopped.
    var isSilent = false
    /// Delays on this connection are caused by a fault, so the client's time limits do not apply.
    var isStalledByFault = false
    /// Sends a few bytes at a time.
    var trickleHandler: TrickleHandler?
    /// The mock selects no protocol by ALPN, whatever the client offers.
    var agreesOnNothing = false
    var limitsStreams = false

    var isReading: Bool { !holdsReads && !readsNothing && !isSilent }

    // MARK: Runs

    mutating func keep(_ run: FaultRun) { running[run.key] = run }

    mutating func remove(_ run: FaultRun) { running[run.key] = nil }

    /// Removes all runs, because the connection has ended.
    mutating func removeAll() -> [FaultRun] {
        defer { running = [:] }
        return Array(running.values)
    }

    /// A fault delays the start of HTTP/2 until the bytes that came with the handshake have been read.
    mutating func holdOpening(_ run: FaultRun) { opening = run }

    mutating func takeOpening() -> FaultRun? {
        defer { opening = nil }
        return opening
    }

    mutating func waitForRoom(_ run: FaultRun) {
        keep(run)
        waitingForRoom.append(run)
    }

    mutating func takeWaitingForRoom() -> [FaultRun] {
        defer { waitingForRoom = [] }
        return waitingForRoom
    }

    // MARK: Streams

    /// Whether a fault acted on the headers of this request, and either replaced the answer or is still running.
    mutating func isInterrupted(_ received: HTTP2Request, number: Int) -> Bool {
        if running.isEmpty, streamsOverBeforeBody.isEmpty { return false }
        if streamsOverBeforeBody.remove(received.streamID) != nil { return true }
        guard let run = running[received.streamID], run.moment == .requestHeaders else { return false }
        run.whole = (received, number)
        return true
    }

    /// Whether a fault acts on a stream, or has ended it before its request was complete.
    func concerns(_ streamID: Int32) -> Bool { running[streamID] != nil || streamsOverBeforeBody.contains(streamID) }

    /// A fault has decided about a request before its body has arrived.
    mutating func endBeforeBody(_ streamID: Int32) { streamsOverBeforeBody.insert(streamID) }

    /// A stream has ended.
    ///
    /// - Returns: The fault that acts on it.
    mutating func ended(_ streamID: Int32) -> FaultRun? {
        if running.isEmpty, streamsOverBeforeBody.isEmpty { return nil }
        // The end of its request may be in the queue of events, not processed yet.
        if streamsOverBeforeBody.contains(streamID) { streamsToForget.append(streamID) }
        return running[streamID]
    }

    /// Called when all received events have been processed.
    mutating func forgetEndedStreams() {
        guard !streamsToForget.isEmpty else { return }
        streamsOverBeforeBody.subtract(streamsToForget)
        streamsToForget.removeAll(keepingCapacity: true)
    }
}
