/// What APNs would do with a push that it has accepted. The sender does not learn it: the answer is 200 in every case.
public enum MockDelivery: String, Hashable, Sendable, CaseIterable {
    /// The device is online: APNs hands the push to it.
    case delivered
    /// The device is offline: APNs keeps the push until it expires.
    case stored
    /// APNs drops the push: the device is offline and the push must not be stored, or notifications are off for the app.
    case discarded
}
