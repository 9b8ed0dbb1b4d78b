/// Receives the outcomes of sends for which no single caller waits: those of a sequence.
// The compiler checks only classes that cannot be subclassed. This class has only a constant, and its only subclass
// proves its own safety.
@usableFromInline package class OutcomeReceiver: @unchecked Sendable {
    /// Whether the reader of the sequence decides when to send again. Then the client does not retry by itself after a
    /// pause: it reports a temporary failure at once.
    final let pausesForItsSends: Bool

    init(pausesForItsSends: Bool) {
        self.pausesForItsSends = pausesForItsSends
    }

    /// Why no more notifications are accepted.
    var refusal: (cause: PushNotSent.Cause, message: String) { (.cancelled, "its task was cancelled.") }

    /// Receives sends that have their outcomes. All of them were in flight or queued for this receiver.
    func deliver(_ sends: ArraySlice<PendingSend>) {}
}
