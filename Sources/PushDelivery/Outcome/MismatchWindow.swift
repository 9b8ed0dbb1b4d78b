internal import APNSVocabulary
internal import PushPlatform
internal import PushProvider
package import PushQueue

/// Decides when the device tokens of an app do not fit its setup, from the last answers. A pure value.
///
/// A wrong setup concerns every device token of every sender. So a device token counts once, and while the last answers of one sender
/// fit, those of another one say nothing about the setup: its device tokens are wrong.
struct MismatchWindow: Equatable {
    /// What an answer belongs to.
    struct Source: Equatable {
        var token: Int
        /// The number of the API key; `nil` if that is not known.
        var sender: Int?
        /// When the job was added. For a line of a campaign, that is the time of its upload: it is due only when it is released.
        var queued: QueueTime
    }

    private struct Answer: Equatable {
        /// `nil` for an answer that fits.
        var reason: RejectionReason?
        var token: Int
    }

    /// The last answers of a sender.
    private struct Sender: Equatable {
        /// A bit for each answer, the last one first: 1 for one that fits.
        var bits: UInt32 = 0
        var count = 0

        mutating func add(fits: Bool) {
            bits = bits << 1 | (fits ? 1 : 0)
            count = min(count + 1, 32)
        }

        /// Whether at least half of the last answers fit.
        var fits: Bool { count > 0 && bits.nonzeroBitCount * 2 >= count }
    }

    /// The maximum number of senders that are told apart. The others count together.
    private static let maximumSenders = 256

    private let breaker: PushConfiguration.MismatchBreaker?
    /// Jobs that were added before do not count; `nil` to count all.
    private let begin: QueueTime?
    /// The last answers; a ring once it is full.
    private var last: [Answer] = []
    private var oldest = 0
    private var mismatches = 0
    /// The device tokens of the mismatches among the last answers.
    private var tokens: Set<Int> = []
    private var senders: [Int: Sender] = [:]

    /// - Parameters:
    ///   - breaker: The window and the share; `nil` to decide nothing.
    ///   - begin: Jobs that were added before do not count.
    init(_ breaker: PushConfiguration.MismatchBreaker?, after begin: QueueTime? = nil) {
        (self.breaker, self.begin) = (breaker, begin)
    }

    /// Whether the rejections may come from a wrong setup: half the share that stops the app. Then they are held back.
    var isSuspicious: Bool {
        guard let breaker, !isSetupRight else { return false }
        return Double(mismatches) * 2 >= breaker.share * Double(last.count)
    }

    /// Whether the answers to one sender show that the setup fits.
    private var isSetupRight: Bool { senders.count > 1 && senders.values.contains(where: \.fits) }

    /// Whether an outcome means that the device token and the setup do not match together.
    static func isMismatch(_ outcome: PushOutcome) -> Bool {
        switch MismatchWatch.Answer(outcome) {
        case .badDeviceToken, .notForTopic: true
        case .fits, .badRequest, nil: false
        }
    }

    /// Whether a rejection may come from a wrong setup.
    func isSuspicious(_ source: Source) -> Bool { isSuspicious && counts(source) }

    private func counts(_ source: Source) -> Bool { begin.map { source.queued > $0 } ?? true }

    /// How many jobs may be in flight. While the first window may still stop the app, this is the size of one window, so that
    /// a wrong setup does not cost thousands of requests. After that, there is no limit.
    var maximumInFlight: Int {
        guard let breaker, last.count < breaker.window else { return .max }
        let fitting = last.count - mismatches
        return isEnough(breaker.window - fitting, breaker) ? breaker.window : .max
    }

    /// Records an outcome.
    ///
    /// - Returns: Why the app must stop, if the outcome is a rejection that the setup explains; `nil` to continue.
    mutating func ended(_ outcome: PushOutcome, of source: Source) -> AppCorrection? {
        guard let breaker else { return nil }
        let reason: RejectionReason?
        switch MismatchWatch.Answer(outcome) {
        case .fits: reason = nil
        case .badDeviceToken: reason = .badDeviceToken
        case .notForTopic: reason = .deviceTokenNotForTopic
        // A malformed request is the mistake of its caller, not of the app.
        case .badRequest, nil: return nil
        }
        note(source.sender ?? -1, fits: reason == nil)
        if reason != nil, !counts(source) { return nil }
        // A device token that was counted is not counted again, but it is a mismatch like the first time.
        if reason == nil || !tokens.contains(source.token) {
            add(Answer(reason: reason, token: source.token), breaker.window)
        }
        guard reason != nil, !isSetupRight else { return nil }
        return last.count == breaker.window && isEnough(mismatches, breaker) ? correction : nil
    }

    private mutating func note(_ sender: Int, fits: Bool) {
        let number = senders[sender] != nil || senders.count < Self.maximumSenders ? sender : -1
        senders[number, default: Sender()].add(fits: fits)
    }

    private func isEnough(_ mismatches: Int, _ breaker: PushConfiguration.MismatchBreaker) -> Bool {
        // Half a mismatch more, because 0.07 of 100 is slightly more than 7 as a Double.
        Double(mismatches) + 0.5 > breaker.share * Double(breaker.window)
    }

    private mutating func add(_ answer: Answer, _ window: Int) {
        if answer.reason != nil {
            mismatches += 1
            tokens.insert(answer.token)
        }
        if last.count < window { return last.append(answer) }
        if last[oldest].reason != nil {
            mismatches -= 1
            tokens.remove(last[oldest].token)
        }
        last[oldest] = answer
        oldest = (oldest + 1) % window
    }

    private var correction: AppCorrection {
        let bad = last.count { $0.reason == .badDeviceToken }
        let advice =
            bad * 2 >= mismatches
            ? """
            The device tokens are probably for another environment. A device token of the sandbox isn't valid in \
            production, and the reverse.
            """ : "The device tokens are probably from another app than the topic."
        let reason: RejectionReason = bad * 2 >= mismatches ? .badDeviceToken : .deviceTokenNotForTopic
        return AppCorrection(
            .mismatch,
            """
            \(mismatches) of the last \(last.count) answers are rejections like \(reason.rawValue). \(advice) Keep the \
            device tokens, and correct the app. If the device tokens are wrong and the app is right, end the jobs that Apple refused \
            with pushserve queue cancel --suspected, and those that weren't tried with --all or by their token. Or resume the app, \
            which sends them all for good.
            """)
    }
}

/// The jobs that wait because the device tokens of their app seemed not to fit its setup.
package enum SuspectedJobs {
    private static let pageSize = 500

    /// Cancels them.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - queue: The queue.
    ///   - audit: What the steps note.
    ///   - whenFurther: Called after each job that was looked at, and after each page: there can be millions.
    /// - Returns: How many were cancelled.
    /// - Throws: `QueueError`, or `CancellationError`.
    package static func cancel(
        of app: String, in queue: any QueueBackend, audit: QueueAudit, whenFurther: @Sendable () -> Void = {}
    ) async throws -> QueueCancelled {
        var (cancelled, audit) = (QueueCancelled(), audit)
        for state in [QueueJobState.waiting, .held] {
            var query = QueueJobQuery(app: app, filter: .state(state), limit: pageSize)
            repeat {
                let page = try await queue.jobs(query)
                var ids: [UUID] = []
                for job in page.items where job.attempts > 0 {
                    if try await isSuspected(job, queue) { ids.append(job.id) }
                    whenFurther()
                }
                let isLast = state == .held && page.next == nil
                cancelled += try await queue.cancel(ids, app: app, isLast: isLast, &audit)
                query.after = page.next
                whenFurther()
                try Task.checkCancellation()
            } while query.after != nil
        }
        return cancelled
    }

    /// Whether the last try of a job was such a rejection.
    private static func isSuspected(_ job: QueueJobRecord, _ queue: any QueueBackend) async throws -> Bool {
        let history = try await queue.history(of: job.id, app: job.app) ?? []
        return history.last { $0.kind == .retried }?.detail == AppCorrection.Kind.mismatch.rawValue
    }
}
