/// When a sequence of notifications is stopped because its device tokens do not fit what they are sent with.
///
/// In the wrong environment Apple answers 400 `BadDeviceToken` to every token, however good it is; with the wrong topic
/// `DeviceTokenNotForTopic`. A sender that deletes tokens for such an answer loses a whole list because of one line of
/// setup. So ``PushClient/outcomes(of:timeout:)`` looks at the last
/// answers, and stops when almost all of them are of that kind: it then ends with a ``PushMismatch``.
///
/// It is the share that tells a wrong setup from old tokens. Tokens that have died are 410, or still 200, and count
/// against stopping; a wrong setup spoils all. A list of which every second token is wrong, in any order, has 80 of
/// 100 in a row once in a thousand million times. And a person who tries ten tokens has no hundred answers.
///
/// Until so much is known that a stop is out of the question, or the first window has passed, no more than a window of
/// notifications is under way at a time: a wrong setup costs less than two windows of rejections, not thousands.
public struct MismatchBreaker: Sendable, Hashable {
    /// Which part of the answers it takes: above 0, at most 1.
    public var share: Double
    /// Of how many answers, the last ones; with fewer nothing is stopped. 1 to 1 000 000.
    public var window: Int

    /// At least 80 of the last 100.
    public static let standard = MismatchBreaker()

    /// Describes when to stop.
    ///
    /// - Parameters:
    ///   - share: Which part of the answers it takes: above 0, at most 1.
    ///   - window: Of how many answers, the last ones.
    public init(share: Double = 0.8, window: Int = 100) {
        self.share = share
        self.window = window
    }

    static let longestWindow = 1_000_000

    /// How many of a window it takes. Both values are valid.
    var enough: Int {
        // What is meant by 0.07 of 100 is 7, and not the next whole number after what a Double makes of it.
        max(1, Int((share * Double(window) - 1e-6).rounded(.up)))
    }
}
