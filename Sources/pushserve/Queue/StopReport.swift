import PushCommandLine
import PushJSON
import PushPlatform
import PushQueue
import PushService

/// The result for each of several jobs. If something was not done, the exit code is 1.
struct StopReport {
    private let json: Bool
    var isComplete = true

    init(json: Bool) {
        self.json = json
    }

    /// Reports one job.
    ///
    /// - Parameters:
    ///   - id: The job.
    ///   - app: Its app; `nil` if no app has it.
    ///   - result: The word for programs.
    ///   - text: The end of the sentence for people.
    ///   - isDone: Whether the request was carried out.
    ///   - newID: The job that was made of it.
    ///   - more: Further members for programs.
    mutating func add(
        _ id: UUID, app: String?, _ result: String, _ text: String, isDone: Bool, newID: UUID? = nil,
        more: [(String, PushJSONValue?)] = []
    ) {
        if !isDone { isComplete = false }
        guard json else { return Output.print("\(JobText.text(id))  \(text)") }
        var line: JSONLine = [
            "id": .string(JobText.text(id)), "app": app.map { .string($0) }, "result": .string(result),
            "redriven_as": newID.map { .string(JobText.text($0)) },
        ]
        for (name, value) in more { line[name] = value }
        Output.print(line)
    }

    mutating func add(_ id: UUID, app: String, _ result: QueueStopResult, done: String) {
        switch result {
        case .stopped: add(id, app: app, done, done, isDone: true)
        case .stoppedUncertain:
            let text = "\(done); an earlier try may have reached Apple, so its outcome is unknown"
            add(id, app: app, done, text, isDone: true, more: [("outcome", "unknown")])
        case .started: add(id, app: app, "started", "is being sent, so it can't be stopped", isDone: false)
        case .finished(let kind):
            let name = kind.name
            add(id, app: app, "finished", "had its outcome already: \(name.replacing("_", with: " "))", isDone: false)
        case .unknownJob: addUnknown(id)
        }
    }

    mutating func addUnknown(_ id: UUID) {
        add(id, app: nil, "unknown", "doesn't exist", isDone: false)
    }

    func print(_ cancelled: QueueCancelled, _ word: String, of app: String) {
        let (count, unknown) = (cancelled.notSent, cancelled.unknown)
        if json {
            return Output.print(["app": .string(app), "cancelled": .integer(count), "unknown": .integer(unknown)])
        }
        let theirs = counted(unknown, "outcome is", "outcomes are", shown: unknown == 1 ? "its" : "their")
        let more =
            unknown == 0
            ? "" : " \(unknown) more won't be retried, but an earlier try may have reached Apple, so \(theirs) unknown."
        Output.print("Cancelled \(counted(count, word)) of \(app).\(more)")
    }

    /// Reports how many jobs were erased.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - app: The app; `nil` for all.
    ///   - text: The sentence for people.
    ///   - rows: The number of rows in inboxes; `nil` if they were not asked.
    func printPurged(_ count: Int, app: String?, _ text: String, rows: Int?) {
        guard json else {
            let more =
                rows.map { $0 == 0 ? "" : " Erased \(counted($0, "row")) in inboxes." }
                ?? " Inboxes were not asked: for them, give --config instead of a database."
            return Output.print(text + more)
        }
        var line: JSONLine = ["app": app.map { .string($0) }, "purged": .integer(count)]
        line["inbox_rows"] = rows.flatMap { $0 == 0 ? nil : .integer($0) }
        line["inboxes_asked"] = rows == nil ? .bool(false) : nil
        Output.print(line)
    }

    /// Ends the command with 1 if something was not done.
    func end() {
        if !isComplete { Output.exit(.rejected) }
    }

    /// Refuses ids that do not exist.
    static func refuse(_ missing: [UUID]) throws {
        guard !missing.isEmpty else { return }
        throw CommandFailure(
            status: .rejected,
            messages: missing.map { "There is no job \(JobText.text($0)). Finished jobs are deleted after some time." })
    }
}
