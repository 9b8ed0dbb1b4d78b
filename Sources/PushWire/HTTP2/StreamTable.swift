/// The streams of a session: the open streams, and the objects of closed streams for reuse.
struct StreamTable {
    /// All objects, by slot. `freeSlots` has the slots of closed streams.
    private(set) var all: [HTTP2Stream] = []
    private var freeSlots: [Int] = []
    private(set) var openCount = 0
    /// The maximum number of streams that were open at the same time.
    private(set) var maximumOpen = 0
    /// Server role: the number of bytes stored for incomplete requests.
    private(set) var unfinishedBytes = 0
    /// Client role: the number of bytes of submitted bodies that are in no frame yet.
    var unframedBodyBytes = 0

    mutating func open(id: Int32, tag: Int) -> HTTP2Stream {
        let stream: HTTP2Stream
        if let slot = freeSlots.popLast() {
            stream = all[slot]
        } else {
            stream = HTTP2Stream(slot: all.count)
            all.append(stream)
        }
        stream.reuse(id: id, tag: tag)
        openCount += 1
        maximumOpen = max(maximumOpen, openCount)
        return stream
    }

    mutating func close(_ stream: HTTP2Stream) {
        guard stream.isOpen else { return }
        stream.isOpen = false
        unframedBodyBytes -= stream.unframedBodyBytes
        requestIsComplete(stream)
        stream.answer.body = []
        stream.releaseRequest()
        freeSlots.append(stream.slot)
        openCount -= 1
    }

    /// Counts bytes that are stored for a request until it is complete.
    mutating func keep(_ byteCount: Int, of stream: HTTP2Stream) {
        stream.received.unfinishedBytes += byteCount
        unfinishedBytes += byteCount
    }

    mutating func requestIsComplete(_ stream: HTTP2Stream) {
        unfinishedBytes -= stream.received.unfinishedBytes
        stream.received.unfinishedBytes = 0
    }

    /// Returns the stream of a request that the library has not sent. The library does not have its id yet.
    func unsent(_ id: Int32) -> HTTP2Stream? {
        guard id > 0 else { return nil }
        return all.first { $0.isOpen && $0.id == id && !$0.reported }
    }

    /// Server role: the number of bytes of answers that are in no frame yet.
    var unsentAnswerBytes: Int {
        var bytes = 0
        for stream in all where stream.isOpen { bytes += max(0, stream.answer.body.count - stream.outgoingOffset) }
        return bytes
    }

    /// Returns the lowest id of the open streams that match `condition`.
    func oldest(where condition: (HTTP2Stream) -> Bool) -> Int32? {
        var oldest: Int32?
        for stream in all where stream.isOpen && condition(stream) { oldest = min(oldest ?? .max, stream.id) }
        return oldest
    }
}
