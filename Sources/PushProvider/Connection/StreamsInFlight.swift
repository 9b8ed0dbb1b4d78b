/// The sends on the streams of a connection, by the tag that HTTP/2 uses for each stream.
struct StreamsInFlight {
    struct Entry {
        /// `nil` once the send has its outcome and only the end of the stream is awaited.
        var send: PendingSend?
        var streamID: Int32 = 0
        var begun: MonotonicTime
        /// The time of issue of the provider token that the request carried.
        var tokenIssuedAt = 0

        /// Moves the send out, with the other values.
        fileprivate mutating func takeAll() -> Entry {
            Entry(send: send.take(), streamID: streamID, begun: begun, tokenIssuedAt: tokenIssuedAt)
        }
    }

    private var entries: [Entry] = []
    private var freeTags: [Int] = []

    /// Gives a send a tag.
    mutating func add(_ send: PendingSend, tokenIssuedAt: Int, begun: MonotonicTime) -> Int {
        let entry = Entry(send: send, begun: begun, tokenIssuedAt: tokenIssuedAt)
        guard let tag = freeTags.popLast() else {
            entries.append(entry)
            return entries.count - 1
        }
        entries[tag] = entry
        return tag
    }

    subscript(tag: Int) -> Entry {
        get { entries[tag] }
        _modify { yield &entries[tag] }
    }

    /// Frees the tag of a stream that has ended, and returns its entry. The entry without its send stays readable until the
    /// tag is used again.
    mutating func remove(_ tag: Int) -> Entry {
        freeTags.append(tag)
        return entries[tag].takeAll()
    }

    func tag(of send: PendingSend) -> Int? {
        entries.firstIndex { $0.send === send }
    }

    /// The tags of the sends whose deadline has passed.
    func late(now: MonotonicTime) -> [Int] {
        entries.indices.filter { tag in entries[tag].send.map { $0.deadline <= now } ?? false }
    }

    var nextDeadline: MonotonicTime? {
        entries.lazy.compactMap { $0.send?.deadline }.min()
    }
}
