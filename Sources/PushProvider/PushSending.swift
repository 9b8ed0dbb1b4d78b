/// Sends notifications: ``PushClient`` does, and so can a fake in the tests of an app, without a server.
///
/// Let the code of your app take `any PushSending`. A fake needs one method:
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
    /// Sends a notification and gives its outcome as a value.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - timeout: How long it may take; `nil` for the sender's default.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid` for a notification that was not taken in.
    func outcome(of notification: PushNotification, timeout: Duration?) async throws(PushError) -> PushOutcome

    /// Sends a notification and waits for its outcome.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - timeout: How long it may take; `nil` for the sender's default.
    /// - Returns: That Apple took it.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> Acceptance
}

extension PushSending {
    /// Sends a notification: what is not accepted is thrown.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - timeout: How long it may take; `nil` for the sender's default.
    /// - Returns: That Apple took it.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    public func send(_ notification: PushNotification, timeout: Duration?) async throws(PushError) -> Acceptance {
        try await outcome(of: notification, timeout: timeout).get()
    }

    /// Sends a notification with the sender's default timeout.
    ///
    /// - Parameter notification: What to send.
    /// - Returns: That Apple took it.
    /// - Throws: ``PushError`` for every other outcome.
    @discardableResult
    public func send(_ notification: PushNotification) async throws(PushError) -> Acceptance {
        try await send(notification, timeout: nil)
    }

    /// Sends a notification with the sender's default timeout, and gives its outcome as a value.
    ///
    /// - Parameter notification: What to send.
    /// - Returns: One of the four outcomes.
    /// - Throws: ``PushError`` with code `invalid` for a notification that was not taken in.
    public func outcome(of notification: PushNotification) async throws(PushError) -> PushOutcome {
        try await outcome(of: notification, timeout: nil)
    }
}

extension PushClient: PushSending {}
