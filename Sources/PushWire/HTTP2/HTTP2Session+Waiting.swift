/// Which streams are waited for: a server looks from time to time, because a peer that says no more brings no event.
extension HTTP2Session {
    /// Server role: the oldest stream whose request has begun and is not whole.
    package var oldestUnfinishedRequest: Int32? {
        oldest { !$0.peerHasFinished }
    }

    /// Server role: the oldest stream whose answer is held up, because the peer grants no window for its body.
    package var oldestUnsentAnswer: Int32? {
        oldest { $0.peerHasFinished && $0.outgoingOffset < $0.outgoingBody.count }
    }

    private func oldest(where isWaitedFor: (HTTP2Stream) -> Bool) -> Int32? {
        var oldest: Int32?
        for stream in streams where stream.isOpen && isWaitedFor(stream) { oldest = min(oldest ?? .max, stream.id) }
        return oldest
    }
}
