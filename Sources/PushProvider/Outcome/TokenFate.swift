/// What a 410 means for the device token that it is about.
///
/// A 410 alone does not say that a token is of no use any more. It says since when Apple knows the token to be dead, and Apple
/// says it late, on purpose. Meanwhile the person may have installed the app anew, and the app may have registered the same token
/// again. So the time of the answer is held against the time of the registration, which only the one who stores the tokens
/// knows: ``PushNotification/registeredAt``.
///
/// Source: Apple, "Handling notification responses from APNs", on `timestamp`.
public enum TokenFate: Sendable, Hashable, CaseIterable {
    /// The token died after the app had registered it: delete it.
    case gone
    /// The app has registered the token since it died: keep it, and send to it.
    case registeredSince
    /// The answer has no timestamp, or nobody has said when the app registered the token. Send no more to it until the app registers
    /// it again, and do not delete one that was registered after the answer's timestamp.
    case unclear

    init(diedAt timestamp: Int64?, registeredAt: Int64?) {
        guard let timestamp, let registeredAt else {
            self = .unclear
            return
        }
        self = timestamp > registeredAt ? .gone : .registeredSince
    }
}

extension Rejection {
    /// What the answer means for the device token; `nil` for every status but 410, which says nothing of the token's end.
    ///
    /// `BadDeviceToken` in particular is no end: in the wrong environment every token gets it.
    public var tokenFate: TokenFate? {
        guard status == 410 else { return nil }
        return TokenFate(diedAt: timestampMilliseconds, registeredAt: registeredMilliseconds)
    }

    /// The token can be deleted: Apple knows it to be dead since a time later than the app's last registration.
    public var isTokenGone: Bool { tokenFate == .gone }

    /// Whether the token is listed as one to delete.
    ///
    /// - Parameter atFaceValue: Whether a 410 counts although nobody has said when the app registered the token.
    /// - Returns: Whether it is gone.
    package func isTokenGone(atFaceValue: Bool) -> Bool { isTokenGone || atFaceValue && tokenFate == .unclear }
}
