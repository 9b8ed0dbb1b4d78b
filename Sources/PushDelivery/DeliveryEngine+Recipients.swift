internal import Logging
internal import PushPlatform
internal import PushProvider
internal import PushQueue

/// Pushes to people: whether a device token still belongs to the person for whom a push waits.
extension DeliveryEngine {
    /// The devices of people now, or why an app's table does not say.
    enum Owners {
        case known([UserID: Result<[RecipientDevice], QueueError>])
        /// The table cannot be asked. The jobs wait for a while.
        case unknown(pause: Duration)
    }

    /// How long a job to a person waits if its app has no table of devices any more.
    static let withoutTablePause: Duration = .seconds(30)
    /// How long a job waits at most if its app's table refuses the person.
    static let longestRefusalPause: Duration = .seconds(600)

    /// Asks to whom device tokens belong, without holding up other jobs, then begins those that may be sent. Meanwhile they count as
    /// started, so that their number is bounded.
    func check(_ jobs: [ClaimedQueueJob]) {
        for (app, jobs) in Dictionary(grouping: jobs, by: \.lease.app) {
            window.start(jobs.count, of: app)
            checking[app, default: 0] += jobs.count
            Task {
                await begin(jobs, await owners(of: jobs, app))
                window.end(jobs.count, of: app)
                checking[app, default: 0] -= jobs.count
                for wakeUp in [claimWakeUp, endWakeUp] { wakeUp.send() }
            }
        }
    }

    private func owners(of jobs: [ClaimedQueueJob], _ app: String) async -> Owners {
        guard let work = apps[app], let recipients = work.settings.recipients else {
            if let work = apps[app], !work.lacksTable {
                work.lacksTable = true
                noteRecipients(of: app)
            }
            return .unknown(pause: Self.withoutTablePause)
        }
        let users = Set(jobs.compactMap { PushDetails.user(of: $0.push).map { UserID($0) } })
        do throws(QueueError) {
            return .known(try await recipients.devices(of: Array(users), atClaim: true))
        } catch {
            return .unknown(pause: recipients.pause)
        }
    }

    /// Watches the tables of apps, and checks the statements of those that are new or have failed. The log and the status tell what is wrong,
    /// also if a request or an inbox has found it.
    func checkRecipients(_ settings: [AppSettings]) {
        for app in settings {
            guard let recipients = app.recipients else { continue }
            let earlier = apps[app.name]?.settings.recipients
            // It must not keep the settings, which have the table: the connections of one that was replaced would stay.
            recipients.watch { [weak self, name = app.name] in Task { await self?.noteRecipients(of: name) } }
            if recipients != earlier || (earlier ?? recipients).failure != nil || recipients.failure != nil {
                Task {
                    try? await recipients.check()
                    noteRecipients(of: app.name)
                }
            }
        }
    }

    private func noteRecipients(of app: String) {
        guard let work = apps[app] else { return }
        // A reload may have given the app another table, or none.
        let failure = work.recipientsFailure
        guard failingRecipients[app] != failure else { return }
        failingRecipients[app] = failure
        if let failure {
            logger.error(
                "the table of devices can't be queried, or a statement for it is wrong",
                metadata: ["app": "\(app)", "reason": "\(failure)"])
        } else {
            logger.notice("the table of devices can be queried again", metadata: ["app": "\(app)"])
        }
        report(work)
    }
}

extension QueueJobOutcome {
    /// The reason of a job whose device token no longer belongs to the person.
    package static let reassigned = "reassigned"
    /// The reason for which a job waits while nobody says to whom its device token belongs.
    static let recipients = "recipients"

    static let ofAnother = QueueJobOutcome(
        .notSent, reason: reassigned,
        detail: "The device token no longer belongs to the user for whom the push was accepted.")
}
