/// Sends notifications. ``PushClient`` conforms to it, and so can a fake in the tests of an app, without a server.
///
/// Use `any PushSending` in the code of your app. A fake needs one method:
///
/// ```swift
/// struct FakeSender: PushSending {
///     var outcome: PushOutcome
///
///     func outcome(of notification: PushNotification, timeout: Duration?) async -> PushOutcome {
///         outcome
///     }
/// }
///
/// let gone = FakeSender(
///     outcome: .rejected(
///         PushOutcome.Rejection(
///             status: 410, reason: .unregistered, timestamp: Date(),
///             registeredAt: Date(timeIntervalSinceNow: -3600))))
/// ```
public protocol PushSending: Sendable {
    /// Sends a notification and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; `nil` for the sender's default.
    /// - Returns: One of the five outcomes.
    func outcome(of notification: PushNotification, timeout: Duration?) async -> PushOutcome
}

extension PushSending {
    /// Sends a notification, and throws every outcome other than accepted.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; the sender's default by default.
    /// - Returns: The acceptance by APNs.
    /// - Throws: Every other outcome.
    @discardableResult
    public func send(
        _ notification: PushNotification, timeout: Duration? = nil
    ) async throws(PushOutcome) -> PushOutcome.Acceptance {
        try await outcome(of: notification, timeout: timeout).get()
    }

    /// Sends a notification with the sender's default timeout, and returns its outcome as a value.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: One of the five outcomes.
    public func outcome(of notification: PushNotification) async -> PushOutcome {
        await outcome(of: notification, timeout: nil)
    }
}

extension PushClient: PushSending {
    /// Sends a notification and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; `nil` for the timeout of the configuration.
    /// - Returns: One of the five outcomes.
    public func outcome(of notification: PushNotification, timeout: Duration?) async -> PushOutcome {
        await outcome(of: notification, timeout: timeout, logger: nil)
    }
}
