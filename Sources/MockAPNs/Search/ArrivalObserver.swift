internal import NIOCore

/// The result of a request on a phone, as far as a search can ask for it.
package struct PhoneResult: Sendable, Hashable {
    /// The words for outcomes that a search can ask for.
    package static let outcomes = [
        "shown", "quiet", "replaced", "stored", "hidden", "rejected", "woke", "acted", "removed", "forgotten",
        "missed",
    ]

    package var outcome: String
    package var phone: String?
    /// The name of the attached file.
    package var attachment: String?
    /// The thread of the notification, or its topic.
    package var group: String?

    package init(outcome: String, phone: String? = nil, attachment: String? = nil, group: String? = nil) {
        self.outcome = outcome
        self.phone = phone
        self.attachment = attachment
        self.group = group
    }
}

/// Follows the requests of a mock, and knows their outcomes on phones. The mock itself has no phones.
package protocol ArrivalObserver: AnyObject, Sendable {
    /// The outcome of a request; `nil` if it is not known.
    func phoneResult(of number: Int) -> PhoneResult?

    /// Waits until all requests that have arrived are processed, or for a short time if that takes too long.
    func caughtUp() async

    var isOver: Bool { get }

    /// A number that grows with each change.
    var changeCount: Int { get }

    /// Waits for the next change.
    ///
    /// - Parameters:
    ///   - count: The number of changes that the caller knows.
    ///   - duration: The maximum time to wait.
    /// - Returns: Whether there was one.
    @discardableResult
    func change(after count: Int, within duration: Duration) async -> Bool
}
