package struct AppStatus: Sendable, Hashable {
    /// Whether the app sends, the better states first.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case running
        /// Apple takes nothing for a while. The app tries again by itself.
        case resting
        /// The operator has paused the app.
        case paused
        /// The operator must correct something. The jobs wait.
        case refused
        case down
    }

    package enum Credentials: String, Sendable, Hashable, CaseIterable {
        case untried
        /// Apple has accepted them.
        case accepted
        /// Apple refuses them.
        case refused
        case unreadable
    }

    package var name: String
    package var state: State
    /// Why it does not send, or why pushes do not get through, and what to do; `nil` if they do, or if the operator has paused it.
    package var reason: String?
    /// Why pushes to users wait: the table of devices cannot be asked; `nil` if it can, or if the app has none.
    package var recipientsFailure: String?
    /// What has changed about the app since the start of the service: topic, environment, credentials; in sentences.
    package var warnings: [String] = []
    /// What the operator must correct; `nil` for nothing.
    package var correction: AppCorrection.Kind?
    package var isConnected = false
    /// The number of open connections of this worker.
    package var connections = 0
    package var credentials = Credentials.untried
    /// The number of whole days until the certificate expires; `nil` with a provider key.
    package var certificateDaysLeft: Int?
    /// How long until the certificate expires, which is negative afterwards; `nil` with a provider key.
    package var certificateLeft: Duration?
    /// How many jobs are being sent.
    package var inFlight = 0
    /// How long the oldest due job has been due; `nil` if no job waits, or the queue cannot be read.
    package var oldestDueAge: Duration?

    package init(name: String, state: State) {
        (self.name, self.state) = (name, state)
    }
}
