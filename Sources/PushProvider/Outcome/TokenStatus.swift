extension PushOutcome {
    /// The meaning of a 410 for the device token. Without ``PushNotification/registeredAt`` it is never ``gone``.
    ///
    /// A 410 alone does not mean that the device token is useless. Its timestamp says since when Apple knows that the token
    /// is invalid, and Apple sends it late, on purpose. In the meantime, the user may have installed the app again, and the
    /// app may have registered the same token again. So the timestamp is compared with the time of the registration, which
    /// you give as ``PushNotification/registeredAt``.
    ///
    /// Source: Apple, "Handling notification responses from APNs", on `timestamp`.
    public enum TokenStatus: Sendable, Hashable, CaseIterable {
        /// The device token became invalid after the app registered it: delete it.
        case gone
        /// The app registered the device token after it became invalid: keep it, and send to it.
        case registeredSince
        /// The answer has no timestamp, or the time of the registration is unknown. Stop sending to the device token until
        /// the app registers it again. Do not delete a token that was registered after the answer's timestamp.
        case unclear

        init(diedAt timestamp: Int64?, registeredAt: Int64?) {
            guard let timestamp, let registeredAt else {
                self = .unclear
                return
            }
            self = timestamp > registeredAt ? .gone : .registeredSince
        }
    }
}

extension PushOutcome.Rejection {
    /// The meaning of the answer for the device token; `nil` for every status except 410.
    ///
    /// `BadDeviceToken` does not mean that the token is gone: in the wrong environment, every token gets this answer.
    public var tokenStatus: PushOutcome.TokenStatus? {
        guard status == 410 else { return nil }
        return PushOutcome.TokenStatus(diedAt: timestampMilliseconds, registeredAt: registeredMilliseconds)
    }

    /// Whether the device token is listed as a token to delete.
    ///
    /// - Parameter atFaceValue: Whether a 410 counts even if ``tokenStatus`` is `unclear`.
    /// - Returns: Whether the token is gone.
    package func isTokenGone(atFaceValue: Bool) -> Bool {
        tokenStatus == .gone || atFaceValue && tokenStatus == .unclear
    }
}
