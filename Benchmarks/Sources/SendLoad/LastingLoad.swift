import PushProvider

/// Sends as much as it can for a while and says how fast it was after the beginning: what a campaign of hours reaches.
struct LastingLoad {
    /// How long it sends, and after how long it begins to count.
    var seconds: Double
    var countsAfter: Double

    struct PushFinding: Sendable {
        var perSecond = 0.0
        var failed = 0
        var firstFailure = ""
        /// Connections at the end, and how often the number that was wanted has changed while it was counted.
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
            guard case .push(.accepted) = result.outcome else {
                finding.failed += 1
                if finding.firstFailure.isEmpty { finding.firstFailure = "\(result.outcome)" }
                continue
            }
            let now = ContinuousClock.now
            // What comes after the end comes from a queue that nobody fills any more.
            guard now < end, now >= begun + .seconds(countsAfter) else { continue }
            let diagnosis = client.diagnosis
            counted += 1
            if let wanted, diagnosis.wantedConnections != wanted { finding.changes += 1 }
            wanted = diagnosis.wantedConnections
            (finding.connections, finding.limit) = (diagnosis.connections, diagnosis.limit.rawValue)
        }
        // Answers come in waves, one for each round trip: from the first of one wave to the last of another would be a wave more
        // than the time has.
        finding.perSecond = Double(counted) / (seconds - countsAfter)
        return finding
    }
}

/// The same notification until a time.
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
