import PushCommandLine
internal import PushJSON
import PushProvider

/// How the notifications of a command are sent: once, several times, or each time the payload file is saved.
enum SendCourse: Sendable {
    case once
    case repeated(RepeatedSends)
    /// The file is sent again each time it is saved; `since` is what it was when it was read.
    case watched(PayloadWatch, since: FileMark?)

    /// - Parameters:
    ///   - options: The options that say how.
    ///   - file: The file of the payload.
    ///   - mark: What the file was before it was read.
    ///   - read: Reads the file again, and makes the notifications.
    init(
        _ options: RunOptions, file: String?, _ mark: FileMark?,
        reading read: @escaping @Sendable () throws -> [PushNotification]
    ) {
        if let count = options.repeats {
            self = .repeated(RepeatedSends(count: count, interval: options.every?.duration ?? .seconds(1)))
        } else if options.watch {
            self = .watched(PayloadWatch(path: file ?? "", read: read), since: mark)
        } else {
            self = .once
        }
    }

    /// Returns everything that would be sent, to show it.
    func rounds(of notifications: [PushNotification]) -> [PushNotification] {
        guard case .repeated(let repetition) = self else { return notifications }
        return (0..<repetition.count).flatMap { RepeatedSends.round($0, of: notifications) }
    }

    func run(_ notifications: [PushNotification], with sender: PushSender) async -> SendTally {
        switch self {
        case .once:
            var tally = SendTally()
            await sender.send(notifications, adding: &tally)
            return tally
        case .repeated(let repetition):
            if let first = notifications.first, !NumberedPayload(first.payload).counts {
                Output.note("The payload has no text to number: all pushes are the same.")
            }
            return await repetition.run(notifications, with: sender)
        case .watched(let watch, let mark):
            return await watch.run(notifications, since: mark, with: sender)
        }
    }
}

/// The same push several times, with a counter in its text.
struct RepeatedSends: Sendable {
    var count: Int
    /// The time from the start of one push to the start of the next.
    var interval: Duration

    /// Returns the notifications of one round, counted from 0, with the counter in their text.
    static func round(_ index: Int, of notifications: [PushNotification]) -> [PushNotification] {
        // All notifications share one payload.
        guard let first = notifications.first else { return [] }
        let payload = NumberedPayload(first.payload)[index]
        return notifications.map { notification in
            var numbered = notification
            numbered.payload = payload
            return numbered
        }
    }

    /// Sends until all are sent, the credentials are refused, or the task is cancelled.
    func run(_ notifications: [PushNotification], with sender: PushSender) async -> SendTally {
        var tally = SendTally()
        let clock = ContinuousClock()
        let start = clock.now
        for index in 0..<count {
            if index > 0 {
                try? await clock.sleep(until: start + interval * index)
                if Task.isCancelled { break }
            }
            await sender.send(Self.round(index, of: notifications), adding: &tally)
            if tally.worst == .credentials { break }
        }
        return tally
    }
}

/// Sends again each time the payload file is saved.
struct PayloadWatch: Sendable {
    var path: String
    /// Reads the file and makes the notifications; empty if they were refused, and the reason was printed.
    var read: @Sendable () throws -> [PushNotification]

    /// The time between two checks whether the file has changed.
    private static let pause: Duration = .milliseconds(200)

    /// Runs until the task is cancelled.
    func run(_ first: [PushNotification], since mark: FileMark?, with sender: PushSender) async -> SendTally {
        Output.note("Watching \(path): save it to resend, Ctrl-C to stop.")
        var tally = SendTally()
        await sender.send(first, adding: &tally)
        var monitor = FileMonitor(known: mark)
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pause)
            if Task.isCancelled { break }
            switch monitor.observe(FileMark(path: path)) {
            case .nothing: break
            case .vanished: Output.complain("\(path) no longer exists. It's resent when it's back.")
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

/// A payload with a counter in its text, so that otherwise equal pushes differ on the device: `Hello (1)`, `Hello (2)`.
/// If the text already ends with a number in brackets, counting continues from there.
struct NumberedPayload: Sendable {
    private let payload: PushPayload
    /// The range of the number with its brackets; empty if there is none yet.
    private let range: Range<Int>?
    private let first: Int

    init(_ payload: PushPayload) {
        self.payload = payload
        guard let tree = try? JSONReader.tree(payload.bytes), let end = Self.endOfText(tree) else {
            (range, first) = (nil, 1)
            return
        }
        (range, first) = Self.number(before: end, in: payload.bytes)
    }

    /// Whether there is a text for the counter.
    var counts: Bool { range != nil }

    /// The payload of the push with this index, from 0.
    subscript(index: Int) -> PushPayload {
        guard let range else { return payload }
        var bytes = payload.bytes
        let space = range.isEmpty ? " " : ""
        bytes.replaceSubrange(range, with: "\(space)(\(first + index))".utf8)
        return PushPayload(json: bytes, pushType: payload.pushType)
    }

    /// Returns the end of the visible text: of the alert itself, its body, or its title.
    private static func endOfText(_ tree: JSONTree) -> Int? {
        guard let aps = tree.member("aps", of: JSONTree.root), let alert = tree.member("alert", of: aps) else {
            return nil
        }
        let texts = [alert, tree.member("body", of: alert), tree.member("title", of: alert)]
        let text = texts.compactMap { $0 }.first { tree.nodes[$0].kind == .string }
        return text.map { tree.range(of: $0).upperBound - 1 }
    }

    private static func number(before end: Int, in bytes: [UInt8]) -> (Range<Int>, Int) {
        let none = (end..<end, 1)
        guard bytes[..<end].last == UInt8(ascii: ")"),
            let open = bytes[..<end].lastIndex(of: UInt8(ascii: "(")),
            let number = Int(String(decoding: bytes[(open + 1)..<(end - 1)], as: UTF8.self)),
            number >= 0, number < 1_000_000_000
        else { return none }
        return (open..<end, number)
    }
}
