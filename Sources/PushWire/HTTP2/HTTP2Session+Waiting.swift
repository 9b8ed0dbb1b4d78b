/// Finds streams that wait for the peer. A silent peer causes no event, so the owner must check them.
extension HTTP2Session {
    /// Client role: the received part of the answer on an open stream; `nil` before its final status. An interim status
    /// (1xx) does not count.
    ///
    /// Call it before the stream is reset. It does not change the stream.
    package func answerSoFar(on streamID: Int32) -> HTTP2Response? {
        guard role == .client, let stream = stream(streamID), !stream.reported, stream.received.finalStatus != nil
        else {
            return nil
        }
        return stream.received.responseSoFar
    }

    /// Server role: the oldest stream with an incomplete request.
    package var oldestUnfinishedRequest: Int32? {
        streams.oldest { !$0.received.peerHasFinished }
    }

    /// Server role: the number of bytes of answers that are in no frame yet.
    package var unsentAnswerBytes: Int { streams.unsentAnswerBytes }

    /// Server role: the oldest stream with an answer that waits, because the peer's window is too small for its body.
    package var oldestUnsentAnswer: Int32? {
        streams.oldest { $0.received.peerHasFinished && $0.outgoingOffset < $0.answer.body.count }
    }
}
