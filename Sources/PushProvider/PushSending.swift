/// Sends notifications. ``PushClient`` conforms to it, and so can a fake in the tests of an app, without a server.
///
/// Use `any PushSending` in the code of your app. A fake needs one method:
///
/// ```swift
/// struct FakeSender: PushSending {
///     var outcome: PushOutcome
///
///     func outcome(of notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushOutcome { outcome }
/// }
///
/// let gone = FakeSender(
///     outcome: .rejected(
///         Rejection(
///             status: 410, reason: .unregistered, timestampMilliseconds: 1_764_000_000_000,
///             registeredMilliseconds: 1_763_000_000_000)))
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
    func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> Acceptance
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
    public func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> Acceptance {
        try await outcome(of: notification, timeout: timeout).get()
    }

    /// Sends a notification with the sender's default timeout.
    ///
    /// - Parameter notification: The notification.
    /// - Returns: The acceptance by APNs.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    public func send(_ notification: PushNotification) async throws(PushError) -> Acceptance {
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
