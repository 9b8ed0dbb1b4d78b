import MockAPNs

@testable import PushProvider

/// What the mock has written down in a round, and what follows from it.
struct ChaosRecord {
    /// What it dealt with, by `apns-id`, in the order in which it did.
    let arrivals: [String: [MockArrival]]
    /// By their numbers.
    let connections: [Int: MockConnectionRecord]
    private let faults: [MockFault.ID: ChaosFault]

    init(_ tale: ChaosTale) {
        arrivals = Dictionary(grouping: tale.arrivals, by: \.key)
        connections = Dictionary(uniqueKeysWithValues: tale.records.map { ($0.number, $0) })
        faults = tale.faults
    }

    func fault(of arrival: MockArrival) -> ChaosFault? {
        arrival.fault.flatMap { faults[$0.id] }
    }

    /// The mock has declared that it did not process it, and it has not.
    func isRefused(_ arrival: MockArrival) -> Bool {
        guard arrival.verdict.status == 0, !arrival.wasAnswered else { return false }
        let end = connections[arrival.connection]?.stream(arrival.streamID)?.end
        return end == .resetByMock(.refusedStream) || isLeftOut(arrival)
    }

    /// Its status may have gone out, and not what came behind it: a status counts.
    func wasCutOff(_ arrival: MockArrival) -> Bool {
        arrival.wasAnswered && (isOnEndedConnection(arrival) || isLeftOut(arrival))
    }

    /// A GOAWAY has declared it unprocessed.
    func isLeftOut(_ arrival: MockArrival) -> Bool {
        let goAways = connections[arrival.connection]?.goAwaysSent ?? []
        return goAways.contains { $0.lastStreamID < arrival.streamID }
    }

    func isProperAnswer(_ arrival: MockArrival) -> Bool {
        arrival.wasAnswered && fault(of: arrival)?.consequence != .malformed
    }

    /// Because of a fault, the client does not know its outcome.
    func isLeftUnknown(_ arrival: MockArrival) -> Bool {
        switch fault(of: arrival)?.consequence {
        case .unknown, .malformed: true
        default: isOnEndedConnection(arrival)
        }
    }

    /// A rejection after which the same notification may be sent again.
    func isPassing(_ arrival: MockArrival) -> Bool {
        guard arrival.wasAnswered else { return false }
        let again: [RejectionReason] = [.idleTimeout, .expiredProviderToken, .unrelatedKeyIDInToken]
        return arrival.verdict.status == 429 || arrival.verdict.status >= 500
            || arrival.verdict.reason.map(again.contains) ?? false
    }

    /// By the mock itself, or by its client because of what a fault has sent it.
    func isEndedByFault(_ record: MockConnectionRecord) -> Bool {
        if record.end?.side == .fault { return true }
        let marks = record.faults + record.streams.compactMap(\.fault)
        return marks.contains { faults[$0.id]?.consequence == .connection }
    }

    func isOnEndedConnection(_ arrival: MockArrival) -> Bool {
        connections[arrival.connection].map(isEndedByFault) ?? false
    }

    /// A body in place of the usual one has no reason.
    func reason(of arrival: MockArrival) -> RejectionReason? {
        if let fault = fault(of: arrival), case .answer(let answer)? = fault.fault.steps.first, answer.body != nil {
            return nil
        }
        return arrival.verdict.reason
    }

    func streamLimit(_ record: MockConnectionRecord) -> Int {
        Int(record.settings.compactMap(\.settings.maxConcurrentStreams).max() ?? 0)
    }

    /// All that the mock knows of a notification, a line for each time that it came.
    func history(of id: String) -> String {
        (arrivals[id] ?? []).map { arrival in
            let record = connections[arrival.connection]
            let end = record?.end.map { "\($0.side.rawValue): \($0.how)" } ?? "open"
            let goAways = (record?.goAwaysSent ?? []).map { "\($0.lastStreamID)" }.joined(separator: ", ")
            return """

                    arrival \(arrival.number), connection \(arrival.connection) stream \(arrival.streamID): \
                \(arrival.verdict.status) \(arrival.verdict.reason?.rawValue ?? "") \
                \(arrival.wasAnswered ? "answered" : "not answered") \(arrival.verdict.detail ?? "") \
                fault: \(arrival.fault?.name ?? "none"); connection ended by \(end); GOAWAYs: [\(goAways)]
                """
        }.joined()
    }
}

extension MockArrival {
    /// Its `apns-id`.
    var key: String { request.id?.lowercased() ?? "" }
}
