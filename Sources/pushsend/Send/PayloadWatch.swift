import PushProvider

/// Sends again each time the payload file is saved.
struct PayloadWatch: Sendable {
    var path: String
    /// Reads the file and makes the notifications; empty if they were refused, and the reason was printed.
    var read: @Sendable () throws -> [PushNotification]

    /// The time between two checks whether the file has changed.
    private static let pause: Duration = .milliseconds(200)

    /// Runs until the task is cancelled.
    func run(_ first: [PushNotification], since mark: FileMark?, with sender: PushSender) async -> SendTally {
        Output.note("Watching \(path): save it to send again, Ctrl-C to end.")
        var tally = SendTally()
        await sender.send(first, adding: &tally)
        var monitor = FileMonitor(known: mark)
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            if Task.isCancelled { break }
            switch monitor.observe(FileMark(path: path)) {
            case .nothing: break
            case .vanished: Output.complain("\(path) no longer exists. It is sent again when it is back.")
            case .returned: Output.note("\(path) is back, unchanged.")
            case .saved: await sender.send(notifications(), adding: &tally)
            }
        }
        return tally
    }

    /// Returns the notifications. Reports errors, and waits until the file is saved again.
    private func notifications() -> [PushNotification] {
        do {
            return try read()
        } catch {
            let failure = CommandFailure.from(error)
            if !failure.message.isEmpty { Output.complain(failure.message) }
            Output.note("Nothing was sent. Waiting for \(path) to be saved again.")
            return []
        }
    }
}
