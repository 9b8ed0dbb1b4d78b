/// One rule of APNs: a name, the fact that it rests on, and a small function that objects to requests against it.
public struct Check: Sendable {
    /// The part of a judgement that a check belongs to, in their order.
    public enum Stage: Int, Sendable, Comparable, CaseIterable {
        /// The client certificate, where there is one.
        case connection
        /// Method, path, repeated headers.
        case form
        /// The provider token.
        case authentication
        /// The APNs headers.
        case headers
        /// The body.
        case payload
        /// The device token.
        case device

        /// Orders by the time of judgement.
        public static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// A short name for logs and documentation.
    public let name: String
    /// When it is its turn.
    public let stage: Stage
    /// What it rests on.
    public let fact: Fact

    let objection: @Sendable (Hearing) -> Finding?

    init(
        _ name: String,
        _ stage: Stage,
        _ fact: Fact,
        objection: @escaping @Sendable (Hearing) -> Finding?
    ) {
        self.name = name
        self.stage = stage
        self.fact = fact
        self.objection = objection
    }
}

extension Check {
    /// Every check in the order in which they are made; the first objection decides.
    ///
    /// Of Apple's own order only this is known: a bad provider token is noticed before a bad device token.
    public static let table: [Check] = [
        .certificateTrusted,
        .certificateEnvironment,

        .method,
        .path,
        .repeatedHeaders,

        .providerTokenPresent,
        .authorizationScheme,
        .providerTokenForm,
        .encoding,
        .algorithm,
        .signatureForm,
        .knownKey,
        .signature,
        .teamOfKey,
        .issueTimeForm,
        .issueTimeNotAhead,
        .issueTimeNotOld,
        .teamOfConnection,
        .keyOfConnection,
        .environmentOfKey,
        .tokenUpdates,

        .messageID,
        .topicPresent,
        .topicForm,
        .topicOfKey,
        .topicOfCertificate,
        .pushTypeKnown,
        .pushTypeOfCertificate,
        .mdmOfCertificate,
        .topicOfPushType,
        .priorityKnown,
        .priorityOfBackground,
        .expirationForm,
        .expirationNotPast,
        .collapseIDLength,

        .payloadPresent,
        .payloadSize,
        .payloadJSON,

        .deviceTokenPresent,
        .deviceTokenForm,
        .deviceTokenKnown,
        .deviceEnvironment,
        .deviceRegistered,
        .deviceApp,
        .deviceKind,
        .deviceRate,
    ]
}
