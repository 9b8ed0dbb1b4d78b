import APNSVocabulary
import ArgumentParser
import PushPlatform
import PushQueue

struct JobArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The ids of jobs.", valueName: "id"),
        transform: { text in
            guard let id = UUID(uuidString: text) else {
                throw ValidationError(
                    "\"\(text.printable)\" isn't the id of a job. Use the id that the service returned.")
            }
            return id
        })
    var ids: [UUID] = []

    @Option(help: ArgumentHelp("The app of the jobs. Default: all apps are searched.", valueName: "name"))
    var app: String?

    /// Sorts the ids by the app that has the job.
    ///
    /// - Returns: The ids of each app, and those that no app has.
    func sorted(_ queue: any QueueBackend) async throws -> (known: [(app: String, ids: [UUID])], unknown: [UUID]) {
        var known: [(app: String, ids: [UUID])] = []
        var left = ids
        for app in try await AppNames.of(app, queue) where !left.isEmpty {
            let found = Set(try await queue.jobs(left, app: app).map(\.id))
            if !found.isEmpty { known.append((app, left.filter(found.contains))) }
            left.removeAll(where: found.contains)
        }
        return (known, left)
    }
}

enum AppNames {
    /// The given app, or all apps that have jobs.
    static func of(_ app: String?, _ queue: any QueueBackend) async throws -> [String] {
        if let app { return [app] }
        return try await queue.counts().keys.sorted()
    }

    /// Whether the app of a command is known. Otherwise, this notes it, and the command ends with 1: with a misspelt name, it finds
    /// nothing and erases nothing, which looks like success. It still runs, because inboxes may have rows of the app.
    static func areKnown(_ app: String?, _ queue: any QueueBackend, _ database: DatabaseOptions) async throws -> Bool {
        guard let app else { return true }
        let known = Set(try await queue.counts().keys).union((try? database.appNames()) ?? [])
        if known.contains(app) { return true }
        let remedy = NearestName.remedy(app, among: known.sorted())
        Output.note("Neither the queue nor the configuration has an app \"\(app.printable)\". \(remedy)")
        return false
    }
}
