internal import PushWire

/// The requests of one connection that have been processed and are not in a log yet: the frames of their answers are not made.
struct UnloggedRequests {
    private var requests: [JudgedRequest] = []
    /// The same for requests in other namespaces.
    private var elsewhere: [(place: ConnectionPlace, requests: [JudgedRequest])] = []

    var isEmpty: Bool { requests.isEmpty && elsewhere.isEmpty }

    mutating func add(_ request: JudgedRequest) { requests.append(request) }

    /// Adds a request that belongs to another namespace than that of the connection.
    mutating func add(_ request: JudgedRequest, of place: ConnectionPlace) {
        if let index = elsewhere.firstIndex(where: { $0.place.state === place.state }) {
            elsewhere[index].requests.append(request)
        } else {
            elsewhere.append((place, [request]))
        }
    }

    /// The connection leaves this mock, to which its requests so far belong.
    mutating func leave(_ place: ConnectionPlace) {
        if !requests.isEmpty { elsewhere.append((place, requests)) }
        requests = []
    }

    /// Adds processed requests to the log when the frames of their answers have been created.
    ///
    /// - Parameters:
    ///   - place: The mock of the connection.
    ///   - http2: Knows which answers have left.
    ///   - isCut: Whether nothing more will be sent.
    mutating func publish(to place: ConnectionPlace, _ http2: HTTP2Session, isCut: Bool) {
        guard !isEmpty else { return }
        defer { http2.forgetLostAnswers() }
        if !elsewhere.isEmpty { publishElsewhere(http2, isCut: isCut) }
        guard !requests.isEmpty else { return }
        var waiting: [JudgedRequest] = []
        if !http2.allAnswersHaveLeft { waiting = Self.setAsideUnanswered(of: &requests, http2, isCut: isCut) }
        place.state.journal.append(requests, connection: place.number, time: place.state.now)
        requests.removeAll(keepingCapacity: true)
        requests.append(contentsOf: waiting)
    }

    private mutating func publishElsewhere(_ http2: HTTP2Session, isCut: Bool) {
        elsewhere = elsewhere.compactMap { place, requests in
            var requests = requests
            let waiting = Self.setAsideUnanswered(of: &requests, http2, isCut: isCut)
            if !requests.isEmpty {
                place.state.journal.append(requests, connection: place.number, time: place.state.now)
            }
            return waiting.isEmpty ? nil : (place, waiting)
        }
    }

    /// Marks requests as not answered when their answer will never be sent.
    ///
    /// - Returns: Requests whose answer may still be sent. They are removed from the list.
    private static func setAsideUnanswered(
        of requests: inout [JudgedRequest], _ http2: HTTP2Session, isCut: Bool
    ) -> [JudgedRequest] {
        var waiting: [JudgedRequest] = []
        requests = requests.compactMap { entry in
            guard entry.wasAnswered, http2.answerHasNotLeft(entry.streamID) else { return entry }
            guard !isCut, !http2.hasLostAnswer(entry.streamID) else { return entry.withoutAnswer() }
            waiting.append(entry)
            return nil
        }
        return waiting
    }
}
