import PushProvider

/// Sends as much as it can for a while and says how fast it was after the beginning: what a campaign of hours reaches.
struct LastingLoad {
    /// How long it sends, and after how long it begins to count.
    var seconds: Double
    var countsAfter: Double

    struct Finding: Sendable {
        var perSecond = 0.0
        var failed = 0
        var firstFailure = ""
        /// Connections at the end, and how often the number that was wanted has changed while it was counted.
        var connections = 0
        var changes = 0
        var limit = ""
    }

    func run(_ notification: PushNotification, with client: PushClient) async throws -> Finding {
        let begun = ContinuousClock.now
        let end = begun + .seconds(seconds)
        var finding = Finding()
        var counted = 0
        var countedSince: ContinuousClock.Instant?
        var last = begun
        var wanted = 0
        for try await result in client.outcomes(of: Lasting(notification: notification, end: end)) {
            guard case .success(.accepted) = result.outcome else {
                finding.failed += 1
                if finding.firstFailure.isEmpty { finding.firstFailure = "\(result.outcome)" }
                continue
            }
            let now = ContinuousClock.now
            // What comes after the end comes from a queue that nobody fills any more.
            guard now < end, now >= begun + .seconds(countsAfter) else { continue }
            let diagnosis = client.diagnosis
            if countedSince == nil {
                (countedSince, wanted) = (now, diagnosis.wantedConnections)
            } else {
                counted += 1
            }
            if diagnosis.wantedConnections != wanted {
                finding.changes += 1
                wanted = diagnosis.wantedConnections
            }
            (last, finding.connections, finding.limit) = (now, diagnosis.connections, diagnosis.limit.rawValue)
        }
        if let countedSince, last > countedSince {
            finding.perSecond = Double(counted) / ((last - countedSince) / .seconds(1))
        }
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
