package import APNSVocabulary

/// A rule of APNs: a name, the fact that it is based on, and a function that finds violations.
///
/// The rules are its members, in extensions: a file for each part of a request. A class, because each request goes through all of them, and
/// copies of their texts took a tenth of the time.
package final class Check: Sendable {
    /// The stages of the checks, in order.
    package enum Stage: Sendable, Comparable, CaseIterable {
        /// The client certificate, if there is one.
        case connection
        /// The method, the path and repeated headers.
        case form
        case authentication
        case headers
        case payload
        case device
    }

    package let name: String
    package let stage: Stage
    package let reasons: [RejectionReason]
    /// The name of the property of ``MockVariants`` that can be any other reason; `nil` if there is none.
    package let setting: String?
    package let fact: MockFact

    let find: @Sendable (CheckInput) -> Finding?

    /// The id of the fact is the name with hyphens for the spaces.
    init(
        _ name: String, _ stage: Stage, _ reasons: [RejectionReason], setting: String? = nil, _ statement: String,
        _ confidence: MockFactConfidence, find: @escaping @Sendable (CheckInput) -> Finding?
    ) {
        self.name = name
        self.stage = stage
        self.reasons = reasons
        self.setting = setting
        fact = MockFact(id: name.replacing(" ", with: "-"), statement, confidence)
        self.find = find
    }
}

/// Checks in the order in which a request meets them.
struct CheckOrder: Sendable {
    private let checks: [Check]
    /// What they do, so that a request need not retain and release each of them.
    private let steps: [Step]

    private struct Step: Sendable {
        let find: @Sendable (CheckInput) -> Finding?
    }

    private init(_ checks: [Check]) {
        (self.checks, steps) = (checks, checks.map { Step(find: $0.find) })
    }

    static let ofConnections = CheckOrder(Check.table.filter { $0.stage == .connection })
    private static let ofPushes = CheckOrder(Check.table)
    private static let ofBroadcasts = CheckOrder(Check.broadcasts)
    private static let ofChannelLists = CheckOrder(Check.channelLists)
    private static let ofNewChannels = CheckOrder(Check.newChannels)
    private static let ofOneChannel = CheckOrder(Check.oneChannel)

    static func of(_ request: MockRequest) -> CheckOrder {
        switch request.target {
        case .device, .unknown: ofPushes
        case .broadcast: ofBroadcasts
        case .allChannels: ofChannelLists
        case .channels: request.method == "POST" ? ofNewChannels : ofOneChannel
        }
    }

    /// The first check that fails, which decides the answer, and what it finds.
    func firstFailure(_ input: CheckInput) -> (check: Check, finding: Finding)? {
        for index in steps.indices {
            guard let found = steps[index].find(input), let finding = checks[index].answer(found, input) else {
                continue
            }
            return (checks[index], finding)
        }
        return nil
    }
}

extension Check {

    /// The checks of a push to a device, in order.
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
        .magicToken,
        .deviceTokenKnown,
        .deviceEnvironment,
        .deviceRegistered,
        .deviceApp,
        .deviceKind,
        .deviceRate,
    ]

    /// The checks of every request about broadcasts and channels.
    private static let ofEveryApp: [Check] =
        table.filter { $0.stage <= .authentication } + [
            .requestID, .appForm, .appWithoutSuffix, .appOfCredentials, .broadcastEnabled,
        ]
    private static let ofTheChannel: [Check] = [.channelIDPresent, .channelIDForm, .channelRegistered]

    /// The checks of a broadcast, in order.
    static let broadcasts: [Check] =
        ofEveryApp + [
            .broadcastTypePresent, .broadcastTypeKnown, .priorityKnown, .expirationForm, .expirationNotPast,
            .channelIDPresent, .channelIDForm, .payloadPresent, .broadcastSize, .payloadJSON, .channelRegistered,
            .broadcastExpiration,
        ]
    /// The checks of a new channel, in order.
    static let newChannels: [Check] =
        ofEveryApp + [
            .payloadPresent, .newChannelJSON, .newChannelAttributes, .newChannelType, .newChannelPolicy, .channelLimit,
            .roomForChannels,
        ]
    /// The checks of a request that reads or deletes a channel, in order.
    static let oneChannel: [Check] = ofEveryApp + ofTheChannel
    /// The checks of a list of channels, in order.
    static let channelLists: [Check] = ofEveryApp

    /// The names of the checks about the state of a device or a channel. A client that fails one has broken no rule.
    static let aboutState: Set<String> = Set(
        [magicToken, deviceTokenKnown, deviceRegistered, deviceRate, channelRegistered, channelLimit, roomForChannels]
            .map(\.name))

    package static let all: [Check] = {
        var names: Set<String> = []
        return (table + broadcasts + newChannels + oneChannel).filter { names.insert($0.name).inserted }
    }()
}
