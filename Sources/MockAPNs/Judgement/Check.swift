/// A rule of APNs: a name, the fact that it is based on, and a function that finds violations.
package struct Check: Sendable {
    /// The stages of the checks, in order.
    package enum Stage: Int, Sendable, Comparable, CaseIterable {
        /// The client certificate, if there is one.
        case connection
        /// The method, the path and repeated headers.
        case form
        /// The provider token.
        case authentication
        /// The APNs headers.
        case headers
        /// The body.
        case payload
        /// The device token.
        case device

        /// Whether the left stage is before the right one.
        package static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// A short name for logs and documentation.
    package let name: String
    /// The stage in which the check is made.
    package let stage: Stage
    /// The fact that the check is based on.
    package let fact: Fact

    let objection: @Sendable (CheckInput) -> Finding?

    init(
        _ name: String,
        _ stage: Stage,
        _ fact: Fact,
        objection: @escaping @Sendable (CheckInput) -> Finding?
    ) {
        self.name = name
        self.stage = stage
        self.fact = fact
        self.objection = objection
    }
}

extension Check {
    /// All checks in order. The first check that fails decides the answer.
    ///
    /// Only one thing is known about Apple's order: the provider token is checked before the device token.
    package static let table: [Check] = [
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
