/// The outcomes of a sequence of notifications, in the order of the answers, not of the notifications.
///
/// Nothing is sent before the first outcome is requested. The sequence is read only as fast as the outcomes are read.
/// If the reading task is cancelled, the sequence is not read further and everything in flight is cancelled. The
/// iterator still returns the outcomes of these notifications, and then it ends. An iterator that is released cancels
/// in the same way.
public struct PushOutcomes<Notifications: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Notifications.Element == PushNotification {
    let client: PushClient
    let notifications: Notifications
    let timeout: Duration?

    /// Creates an iterator. Each iterator sends all notifications.
    ///
    /// Its `next()` throws the error of the sequence of notifications, after the outcomes of the notifications before it;
    /// ``PushMismatch`` if the sequence was stopped because device tokens and setup do not match;
    /// ``PushCredentialsRefused`` if it was stopped because the client sends nothing with its credentials.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<PushResult, any Error> {
        Iterator(course: OutcomeCourse(client: client, notifications: notifications, timeout: timeout))
    }

    private struct Iterator: AsyncIteratorProtocol {
        let course: OutcomeCourse
        private let fetched = Fetched()

        /// The outcomes that are fetched and not yet returned; the next one is the last element. All copies of an
        /// iterator share them, so that each outcome is returned once.
        private final class Fetched {
            var messages: [OutcomeMailbox.Message] = []
        }

        mutating func next() async throws -> PushResult? {
            if fetched.messages.isEmpty {
                var messages: [OutcomeMailbox.Message] = []
                swap(&messages, &fetched.messages)
                try await course.fetch(into: &messages)
                fetched.messages = messages
            } else if Task.isCancelled {
                course.cancel()
            }
            return fetched.messages.popLast()?.takeResult()
        }
    }
}

extension PushClient {
    /// Sends a sequence of notifications and returns their outcomes as the answers arrive.
    ///
    /// The deadline of a notification begins when it is read. The sequence is therefore read ahead only as far as the
    /// connections can use: twice as many notifications as they can carry, and never more than
    /// ``PushConfiguration/queuedNotifications``. Outcomes that are not yet read count too, so that memory is bounded
    /// whichever side is slow.
    ///
    /// When almost all answers say that device tokens and setup do not match, the sequence is not read further and ends by throwing a
    /// ``PushMismatch``: see ``PushConfiguration/mismatchBreaker``. When 20 notifications in a row are not sent because of the
    /// credentials, or 10 000 because of their topics, with no answer between them, it ends by throwing a ``PushCredentialsRefused``.
    ///
    /// - Parameters:
    ///   - notifications: The notifications, in this order.
    ///   - timeout: As for `send`, for each notification, from the time when it is read.
    /// - Returns: The outcomes, each with its notification.
    public func outcomes<Notifications: AsyncSequence & Sendable>(
        of notifications: Notifications, timeout: Duration? = nil
    ) -> PushOutcomes<Notifications> where Notifications.Element == PushNotification {
        PushOutcomes(client: self, notifications: notifications, timeout: timeout)
    }

    /// Sends a sequence that needs no waiting, such as an array, in the same way: it is read only as far ahead as the
    /// connections can use.
    ///
    /// - Parameters:
    ///   - notifications: The notifications, in this order.
    ///   - timeout: As for `send`, for each notification, from the time when it is read.
    /// - Returns: The outcomes, each with its notification.
    public func outcomes<Notifications: Sequence & Sendable>(
        of notifications: Notifications, timeout: Duration? = nil
    ) -> PushOutcomes<some AsyncSequence<PushNotification, Never> & Sendable>
    where Notifications.Element == PushNotification {
        PushOutcomes(client: self, notifications: ReadySequence(elements: notifications), timeout: timeout)
    }
}

/// A sequence whose elements are there without waiting.
private struct ReadySequence<Elements: Sequence & Sendable>: AsyncSequence, Sendable {
    let elements: Elements

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(elements: elements.makeIterator()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var elements: Elements.Iterator

        mutating func next() async -> Elements.Element? { elements.next() }
    }
}

/// One pass through a sequence. It ends when its iterator is released.
@usableFromInline package final class OutcomeCourse: Sendable {
    private let mailbox: OutcomeMailbox
    private let begin: @Sendable () -> Void

    @inlinable package convenience init<Notifications: AsyncSequence & Sendable>(
        client: PushClient, notifications: Notifications, timeout: Duration?, pausesForItsSends: Bool = false
    ) where Notifications.Element == PushNotification {
        self.init(client: client, pausesForItsSends: pausesForItsSends) { mailbox in
            await Self.read(notifications, for: client, timeout, into: mailbox)
        }
    }

    @usableFromInline package init(
        client: PushClient, pausesForItsSends: Bool, read: @escaping @Sendable (OutcomeMailbox) async -> Void
    ) {
        let mailbox = OutcomeMailbox(
            room: { client.readAhead }, breaker: client.sequenceBreaker, pausesForItsSends: pausesForItsSends,
            cancelSends: { client.cancel($0) })
        self.mailbox = mailbox
        begin = { mailbox.begun(Task { await read(mailbox) }) }
    }

    /// Reads the notifications and queues them.
    // Inlinable, so that a module whose sequence it is gets a copy for the type of its iterator. A call of an unknown
    // iterator costs about 290 instructions more for each notification.
    @inlinable package static func read<Notifications: AsyncSequence & Sendable>(
        _ notifications: Notifications, for client: PushClient, _ timeout: Duration?, into mailbox: OutcomeMailbox
    ) async where Notifications.Element == PushNotification {
        do {
            var index = 0
            var iterator = notifications.makeAsyncIterator()
            // Read nothing that cannot be queued.
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

    package func fetch(into messages: inout [OutcomeMailbox.Message]) async throws {
        if mailbox.isFirst() { begin() }
        try await withTaskCancellationHandler {
            try await mailbox.fetch(into: &messages)
        } onCancel: {
            mailbox.cancel()
        }
    }

    func cancel() {
        mailbox.cancel()
    }

    /// Whether device tokens and setup do not match. Then the outcomes that were fetched last are among those that prove
    /// it.
    package var isMismatched: Bool { mailbox.isMismatched }

    deinit {
        mailbox.cancel()
    }
}

extension PushConfiguration {
    /// The number of notifications that a sequence is read ahead before the capacity of a connection is known.
    var firstReadAhead: Int {
        let (streams, overflow) = streamsPerConnection.multipliedReportingOverflow(by: 2 * minimumConnections)
        return overflow ? queuedNotifications : min(streams, queuedNotifications)
    }
}
