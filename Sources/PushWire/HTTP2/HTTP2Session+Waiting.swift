/// Which streams are waited for: a peer that says no more brings no event, and so this side has to look.
extension HTTP2Session {
    /// Client role: what has come of the answer on an open stream; `nil` before its status. An interim status (1xx) is none.
    ///
    /// Call it before the stream is reset. The stream stays as it is.
    package func answerSoFar(on streamID: Int32) -> HTTP2Response? {
        guard role == .client, let stream = stream(streamID), !stream.reported, stream.finalStatus != nil else {
            return nil
        }
        return stream.responseSoFar
    }

    /// Server role: the oldest stream whose request has begun and is not whole.
    package var oldestUnfinishedRequest: Int32? {
        streams.oldest { !$0.peerHasFinished }
    }

    /// Server role: the oldest stream whose answer is held up, because the peer grants no window for its body.
    package var oldestUnsentAnswer: Int32? {
        streams.oldest { $0.peerHasFinished && $0.outgoingOffset < $0.outgoingBody.count }
    }
}
