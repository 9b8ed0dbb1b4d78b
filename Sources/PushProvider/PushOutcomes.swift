/// The outcomes of a sequence of notifications, as they come: in the order of the answers, not of the notifications.
///
/// Nothing is sent before the first outcome is asked for. It is read from the sequence only as fast as outcomes are taken
/// out. When the task that reads is cancelled, no more is read from the sequence, everything under way is cancelled, and what
/// became of it still comes out; then it ends. An iterator that is let go cancels likewise.
public struct PushOutcomes<Notifications: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Notifications.Element == PushNotification {
    /// What became of one notification.
    public typealias Element = PushResult
    /// What the sequence of notifications throws.
    public typealias Failure = any Error

    let client: PushClient
    let notifications: Notifications
    let timeout: Duration?

    /// Begins: each iterator sends all notifications.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(course: BatchCourse(client: client, notifications: notifications, timeout: timeout))
    }

    /// Gives the outcomes one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let course: BatchCourse
        private let fetched = Fetched()

        init(course: BatchCourse) {
            self.course = course
        }

        /// Fetched and not given yet, the next one last. All copies of an iterator share them, so that each outcome is
        /// given once.
        private final class Fetched {
            var letters: [OutcomeMailbox.Letter] = []
        }

        /// The next outcome; `nil` when every notification has had its own.
        ///
        /// - Throws: What the sequence of notifications threw, after the outcomes of those before; ``PushMismatch`` when it was
        ///   stopped because device tokens and setup do not fit; ``PushCredentialsRefused`` when it was stopped because the
        ///   client sends nothing for its credentials.
        public mutating func next() async throws -> PushResult? {
            if fetched.letters.isEmpty {
                var letters: [OutcomeMailbox.Letter] = []
                swap(&letters, &fetched.letters)
                try await course.fetch(into: &letters)
                fetched.letters = letters
            } else if Task.isCancelled {
                course.cancel()
            }
            return fetched.letters.popLast()?.takeResult()
        }
    }
}

extension PushClient {
    /// Sends a sequence of notifications and gives their outcomes as they come.
    ///
    /// It is read ahead only as far as connections can use, twice as many as they can carry, because each deadline begins when
    /// a notification is read; never further than the configuration lets be queued
    /// (``PushConfiguration/queuedNotifications``). Outcomes that are not taken out count, so that memory is bounded whichever
    /// side is slow.
    ///
    /// When almost all answers say that device tokens and setup do not fit, nothing more is read, and the sequence ends by
    /// throwing a ``PushMismatch``: see ``PushConfiguration/mismatchBreaker``. When 20 in a row are not sent because of the
    /// credentials, or 10 000 because of their topics, with no answer between, it ends likewise with a ``PushCredentialsRefused``.
    ///
    /// - Parameters:
    ///   - notifications: What to send, in this order.
    ///   - timeout: As for ``send(_:timeout:)``, for each of them, from when it is read.
    /// - Returns: The outcomes, each with its notification.
    public func outcomes<Notifications: AsyncSequence & Sendable>(
        of notifications: Notifications, timeout: Duration? = nil
    ) -> PushOutcomes<Notifications> where Notifications.Element == PushNotification {
        PushOutcomes(client: self, notifications: notifications, timeout: timeout)
    }
}

/// One run through a sequence: ends when its iterator is let go.
package final class BatchCourse: Sendable {
    private let mailbox: OutcomeMailbox
    private let begin: @Sendable () -> Void

    package init<Notifications: AsyncSequence & Sendable>(
        client: PushClient, notifications: Notifications, timeout: Duration?, pausesForItsSends: Bool = false
    ) where Notifications.Element == PushNotification {
        let mailbox = OutcomeMailbox(
            room: { client.readAhead }, breaker: client.sequenceBreaker, pausesForItsSends: pausesForItsSends,
            cancelSends: { client.cancel($0) })
        self.mailbox = mailbox
        begin = {
            let reading = Task {
                do {
                    var index = 0
                    var iterator = notifications.makeAsyncIterator()
                    // Nothing is read that could not be taken in.
                    reading: while case let room = await mailbox.waitForRoom(), room > 0 {
                        for _ in 0..<room {
                            guard let notification = try await iterator.next() else { break reading }
                            guard client.begin(notification, index: index, timeout: timeout, for: mailbox) else {
                                break reading
                            }
                            index += 1
                        }
                    }
                    mailbox.finish(nil)
                } catch {
                    mailbox.finish(error)
                }
            }
            mailbox.begun(reading)
        }
    }

    package func fetch(into letters: inout [OutcomeMailbox.Letter]) async throws {
        if mailbox.isFirst() { begin() }
        try await withTaskCancellationHandler {
            try await mailbox.fetch(into: &letters)
        } onCancel: {
            mailbox.cancel()
        }
    }

    func cancel() {
        mailbox.cancel()
    }

    /// Device tokens and setup do not fit: what was fetched last belongs to what has shown it.
    package var isMismatched: Bool { mailbox.isMismatched }

    deinit {
        mailbox.cancel()
    }
}

extension PushConfiguration {
    /// How far a batch is read ahead, before it is known what a connection carries.
    var firstReadAhead: Int {
        let (streams, overflow) = streamsPerConnection.multipliedReportingOverflow(by: 2 * minimumConnections)
        return overflow ? queuedNotifications : min(streams, queuedNotifications)
    }
}
