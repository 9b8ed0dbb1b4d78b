import PushQueue
import PushQueuePostgres

/// What is found about an inbox.
enum InboxCheck {
    /// What is found. Without a configuration, there are no `apps`.
    static func findings(_ inbox: PostgresInbox, _ apps: [String]?) async -> [Finding] {
        do throws(QueueError) {
            let problems = try await inbox.check(apps: apps)
            let ages = try await inbox.oldest()
            let schema = inbox.contract.schema
            return [.ok("inbox", "The inbox in the schema \"\(schema)\" of \(inbox.address) can be used.")]
                + problems.map { .warning("inbox", $0) }
                + ages.filter { apps?.contains($0.app) == false }.map { age in
                    .warning(
                        "inbox", app: age.app,
                        "Rows wait in the inbox for an app that is not in the configuration, the oldest for \(Int(age.seconds)) s.",
                        remedy: "Configure the app, or delete its rows.")
                }
        } catch {
            return [.failed("inbox", error.description, CommandFailure(error).status)]
        }
    }
}
