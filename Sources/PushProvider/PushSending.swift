/// Sends notifications. ``PushClient`` conforms to it, and so can a fake in the tests of an app, without a server.
///
/// Use `any PushSending` in the code of your app. A fake needs one method:
///
/// ```swift
/// struct FakeSender: PushSending {
///     var outcome: PushOutcome
///
///     func outcome(of notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushOutcome {
///         outcome
///     }
/// }
///
/// let gone = FakeSender(
///     outcome: .rejected(
///         PushRejection(
///             status: 410, reason: .unregistered, timestamp: Date(),
///             registeredAt: Date(timeIntervalSinceNow: -3600))))
/// ```
public protocol PushSending: Sendable {
    /// Sends a notification and returns its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; `nil` for the sender's default.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid` if the notification was not queued.
    func outcome(of notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushOutcome

    /// Sends a notification and waits for its outcome.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; `nil` for the sender's default.
    /// - Returns: The acceptance by APNs.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushAcceptance
}

extension PushSending {
    /// Sends a notification, and throws every outcome other than accepted.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - timeout: The maximum time until the outcome; `nil` for the sender's default.
    /// - Returns: The acceptance by APNs.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    public func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushAcceptance {
        try await outcome(of: notification, timeout: timeout).get()
    }

    /// Sends a notification with the sender's default timeout.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: The acceptance by APNs.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    public func send(_ notification: PushNotification) async throws(PushError) -> PushAcceptance {
        try await send(notification, timeout: nil)
    }

    /// Sends a notification with the sender's default timeout, and returns its outcome as a value.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid` if the notification was not queued.
    public func outcome(of notification: PushNotification) async throws(PushError) -> PushOutcome {
        try await outcome(of: notification, timeout: nil)
    }
}

extension PushClient: PushSending {}
