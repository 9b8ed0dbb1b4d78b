import PushProvider

/// Sends at full speed for a time, and prints the rate without the start. A campaign of hours reaches this rate.
struct LastingLoad {
    /// The length of the run, and the time after which it starts to count.
    var seconds: Double
    var countsAfter: Double

    struct PushFinding: Sendable {
        var perSecond = 0.0
        var failed = 0
        var firstFailure = ""
        /// The connections at the end, and how often the wanted number changed while the run counted.
        var connections = 0
        var changes = 0
        var limit = ""
    }

    func run(_ notification: PushNotification, with client: PushClient) async throws -> PushFinding {
        let begun = ContinuousClock.now
        let end = begun + .seconds(seconds)
        var finding = PushFinding()
        var counted = 0
        var wanted: Int?
        for try await result in client.outcomes(of: Lasting(notification: notification, end: end)) {
            guard case .accepted = result.outcome else {
                finding.failed += 1
                if finding.firstFailure.isEmpty { finding.firstFailure = "\(result.outcome)" }
                continue
            }
            let now = ContinuousClock.now
            // Outcomes after the end come from a queue that is no longer filled, so they do not count.
            guard now < end, now >= begun + .seconds(countsAfter) else { continue }
            let diagnosis = client.diagnosis
            counted += 1
            if let wanted, diagnosis.wantedConnections != wanted { finding.changes += 1 }
            wanted = diagnosis.wantedConnections
            (finding.connections, finding.limit) = (diagnosis.connections, diagnosis.limit.rawValue)
        }
        // Answers come in waves, one for each round trip. From the first answer of one wave to the last of another, there would be
        // one wave too many for the time.
        finding.perSecond = Double(counted) / (seconds - countsAfter)
        return finding
    }
}

/// A sequence of the same notification that ends at a given time.
struct Lasting: AsyncSequence, Sendable {
    let notification: PushNotification
    let end: ContinuousClock.Instant

    struct AsyncIterator: AsyncIteratorProtocol {
        let notification: PushNotification
        let end: ContinuousClock.Instant

        mutating func next() async -> PushNotification? {
            ContinuousClock.now < end ? notification : nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(notification: notification, end: end)
    }
}
