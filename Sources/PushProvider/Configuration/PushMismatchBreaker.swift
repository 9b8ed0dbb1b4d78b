extension PushConfiguration {
    /// Decides when to stop a sequence of notifications because the device tokens do not fit the setup.
    ///
    /// In the wrong environment, Apple answers 400 `BadDeviceToken` for every device token, even for a valid one. With the
    /// wrong topic, it answers `DeviceTokenNotForTopic`. A sender that deletes the device tokens after such an answer loses
    /// a whole list because of one wrong setting. So `outcomes(of:)` of ``PushClient`` checks the last answers, and
    /// stops when almost all of them are of this kind. It then throws a ``PushMismatch``.
    ///
    /// The share of such answers shows the difference between a wrong setup and old tokens. An inactive token gets 410, or still
    /// 200: both count as good answers. With a wrong setup, every token fails. If every second token of a list is wrong, in
    /// random order, 80 of 100 answers in a row are rejections once in a thousand million times. A list with fewer answers
    /// than ``window`` is never stopped.
    ///
    /// At the start, at most ``window`` notifications are in flight, until a stop is no longer possible or the first window
    /// is complete. So a wrong setup costs less than two windows of rejections, not thousands.
    public struct MismatchBreaker: Sendable, Hashable {
        /// The share of answers in ``window`` that stops the sequence: above 0, at most 1.
        public var share: Double
        /// The number of last answers that are checked: 1 to 1 000 000. With fewer answers, the sequence is not stopped.
        public var window: Int

        /// Stops if at least 80 of the last 100 answers say that the device tokens do not match the setup.
        public static let standard = PushConfiguration.MismatchBreaker()

        /// Creates a breaker.
        ///
        /// - Parameters:
        ///   - share: The share of answers that stops the sequence: above 0, at most 1.
        ///   - window: The number of last answers that are checked: 1 to 1 000 000.
        public init(share: Double = 0.8, window: Int = 100) {
            self.share = share
            self.window = window
        }

        /// The maximum of ``window``, in answers. A configuration with a larger value is refused.
        static let longestWindow = 1_000_000

        /// The number of answers in a full window that stops the sequence. Both values must be valid.
        var enough: Int {
            // 0.07 of 100 must be 7. A Double makes it slightly more, so a small value is subtracted before rounding up.
            max(1, Int((share * Double(window) - 1e-6).rounded(.up)))
        }
    }
}
