extension AppStatus {
    /// Combines the statuses of an app at all workers: the best state, and the problems of the other workers.
    ///
    /// - Parameter statuses: The status at each worker, with its name. This worker comes first.
    /// - Returns: The status; `nil` if no worker has the app.
    static func together(_ statuses: [(worker: String, status: AppStatus)]) -> AppStatus? {
        guard let first = statuses.first, var best = statuses.min(by: { $0.status.order < $1.status.order })?.status
        else { return nil }
        // The other workers learn of a pause or its end a moment later.
        if first.status.state == .paused { best = first.status }
        let all = statuses.map(\.status)
        best.recipientsFailure = first.status.recipientsFailure
        best.isConnected = all.contains(where: \.isConnected)
        (best.connections, best.certificateLeft) = (first.status.connections, first.status.certificateLeft)
        best.inFlight = all.reduce(0) { $0 + $1.inFlight }
        best.certificateDaysLeft = all.compactMap(\.certificateDaysLeft).min()
        if best.credentials == .untried, all.contains(where: { $0.credentials == .accepted }) {
            best.credentials = .accepted
        }
        best.warnings = all.reduce(into: []) { known, status in
            known += status.warnings.filter { !known.contains($0) }
        }
        let worse = statuses.filter { $0.status.reason != nil && $0.status.state != best.state }
        if best.state != .paused, !worse.isEmpty {
            let others = worse.map { worker, status in
                "On worker \(worker), the app is \(status.state): \(status.reason ?? "")"
            }
            best.reason = ([best.reason].compactMap(\.self) + others).joined(separator: " ")
        }
        return best
    }

    /// The better the state, the smaller the number.
    private var order: Int {
        switch state {
        case .running: 0
        case .resting: 1
        case .paused: 2
        case .refused: 3
        case .down: 4
        }
    }
}
