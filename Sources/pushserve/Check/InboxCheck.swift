import PushQueue
import PushQueuePostgres

/// What is found about an inbox.
enum InboxCheck {
    /// What is found. Without a configuration, there are no `apps`.
    static func findings(_ inbox: PostgresInbox, _ apps: [String]?) async -> [Finding] {
        do throws(QueueError) {
            _ = try await inbox.check()
            let ages = try await inbox.oldest()
            let schema = inbox.contract.schema
            return [.ok("inbox", "The inbox in the schema \"\(schema)\" of \(inbox.address) can be used.")]
                + ages.filter { apps?.contains($0.app) == false }.map { age in
                    .warning(
                        "inbox", app: age.app,
                        "Rows wait in the inbox for an app that is not in the configuration, the oldest for \(Int(age.seconds)) s.",
                        remedy: "Configure the app, or delete its rows.")
                }
        } catch {
            let remedy =
                error.code == .refused ? "Give the role its rights: pushserve inbox grant --service --role NAME" : nil
            return [.failed("inbox", error.description, remedy: remedy, CommandFailure(error).status)]
        }
    }
}
