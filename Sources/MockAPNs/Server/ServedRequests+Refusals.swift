internal import PushWire

/// Requests that violate HTTP/2, exceed a limit, or are incomplete.
extension ServedRequests {
    /// Logs a request whose stream was reset, or which ends its connection.
    func refused(_ received: HTTP2Request, _ refusal: HTTP2Refusal) {
        // If a fault acts on the request, the fault logs it.
        guard !connection.faults.concerns(received.streamID) else { return }
        writeDown(received) {
            .refused($0, refusal.fact, refusal.detail, refusal.remedy)
        }
        if refusal == .beyondAcknowledgedLimit {
            firstStreamBeyondLimit = min(firstStreamBeyondLimit ?? .max, received.streamID)
        }
    }

    private func writeDown(_ received: HTTP2Request, _ verdict: (MockRequest) -> MockVerdict) {
        connection.state.countRequest()
        let request = requestReader.request(received)
        add(JudgedRequest(request, on: received.streamID, verdict(request), by: sender, wasAnswered: false))
    }

    /// Whether the stream comes after one beyond the limit. The GOAWAY declares such streams unprocessed.
    func isBehindStreamBeyondLimit(_ received: HTTP2Request) -> Bool {
        firstStreamBeyondLimit.map { received.streamID > $0 } ?? false
    }

    /// Logs a request that such a GOAWAY declares unprocessed. The request has already been counted.
    func passOver(_ received: HTTP2Request) {
        let request = requestReader.request(received)
        let message = """
            An earlier stream exceeds the limit of the SETTINGS that the client has acknowledged. The connection was closed with a \
            GOAWAY that declared this request unprocessed.
            """
        let verdict = MockVerdict.refused(request, HTTP2Refusal.beyondAcknowledgedLimit.fact, message)
        add(JudgedRequest(request, on: received.streamID, verdict, by: sender, wasAnswered: false))
    }

    /// Logs the requests that are incomplete when the connection ends.
    ///
    /// - Parameter why: Why the connection ends.
    func noteUnfinished(_ why: String) {
        for received in connection.wire.http2.unfinishedRequests
        where received.streamID <= connection.faults.lastStreamTaken {
            if connection.faults.concerns(received.streamID) { continue }
            writeDown(received) { .unfinished($0, why) }
        }
    }
}
