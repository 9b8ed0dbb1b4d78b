internal import APNSVocabulary
internal import PushProvider

/// Decides when the device tokens of an app do not fit its setup, from the last answers. A pure value.
struct MismatchWindow: Equatable {
    private let breaker: PushMismatchBreaker?
    /// The last answers; a ring once it is full. `nil` for an answer that fits.
    private var last: [RejectionReason?] = []
    private var oldest = 0
    private var mismatches = 0

    /// - Parameter breaker: The window and the share; `nil` to decide nothing.
    init(_ breaker: PushMismatchBreaker?) {
        self.breaker = breaker
    }

    /// Whether the rejections may come from a wrong setup: half the share that stops the app. Then they are held back.
    var isSuspicious: Bool {
        guard let breaker else { return false }
        return Double(mismatches) * 2 >= breaker.share * Double(last.count)
    }

    /// Whether an outcome means that the device token and the setup do not match together.
    static func isMismatch(_ outcome: PushOutcome) -> Bool {
        switch MismatchWatch.Answer(outcome) {
        case .badDeviceToken, .notForTopic: true
        case .fits, .badRequest, nil: false
        }
    }

    /// How many jobs may be in flight. While the first window may still stop the app, this is the size of one window, so that
    /// a wrong setup does not cost thousands of requests. After that, there is no limit.
    var mostInFlight: Int {
        guard let breaker, last.count < breaker.window else { return .max }
        let fitting = last.count - mismatches
        return isEnough(breaker.window - fitting, breaker) ? breaker.window : .max
    }

    /// Records an outcome.
    ///
    /// - Returns: Why the app must stop, if the outcome is a rejection that the setup explains; `nil` to continue.
    mutating func ended(_ outcome: PushOutcome) -> AppCorrection? {
        guard let breaker else { return nil }
        switch MismatchWatch.Answer(outcome) {
        case .fits:
            add(nil, breaker.window)
            return nil
        case .badDeviceToken: add(.badDeviceToken, breaker.window)
        case .notForTopic: add(.deviceTokenNotForTopic, breaker.window)
        // A malformed request is the mistake of its caller, not of the app.
        case .badRequest, nil: return nil
        }
        return last.count == breaker.window && isEnough(mismatches, breaker) ? correction : nil
    }

    private func isEnough(_ mismatches: Int, _ breaker: PushMismatchBreaker) -> Bool {
        // Half a mismatch more, because 0.07 of 100 is slightly more than 7 as a Double.
        Double(mismatches) + 0.5 > breaker.share * Double(breaker.window)
    }

    private mutating func add(_ answer: RejectionReason?, _ window: Int) {
        if answer != nil { mismatches += 1 }
        if last.count < window { return last.append(answer) }
        if last[oldest] != nil { mismatches -= 1 }
        last[oldest] = answer
        oldest = (oldest + 1) % window
    }

    private var correction: AppCorrection {
        let bad = last.count { $0 == .badDeviceToken }
        let advice =
            bad * 2 >= mismatches
            ? """
            The device tokens are probably for another environment. A device token of the sandbox is not valid in \
            production, and the reverse.
            """ : "The device tokens are probably from another app than the topic."
        let reason: RejectionReason = bad * 2 >= mismatches ? .badDeviceToken : .deviceTokenNotForTopic
        return AppCorrection(
            .mismatch,
            """
            \(mismatches) of the last \(last.count) answers are rejections like \(reason.rawValue). \(advice) Keep the \
            device tokens, correct the app, and resume it.
            """)
    }
}
