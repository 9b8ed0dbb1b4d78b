import APNSVocabulary
package import PushPlatform

/// A verdict, and what the mock knows about the connection after it.
package struct Judgement: Hashable, Sendable {
    package let verdict: MockVerdict
    /// The facts of the connection after the request. Pass them to the next call for this connection.
    package let connection: ConnectionFacts
    /// What the request changes; `nil` if it changes nothing. Apply it before the next request is judged.
    package var effect: Effect?
}

/// The state of a mock at one moment, for the checks of many requests. A class, because a copy of an ``APNSState`` is slow.
package final class APNSSnapshot: Sendable {
    package let apns: APNSState

    /// Stores a copy of the current state.
    package init(_ apns: APNSState) {
        self.apns = apns
    }
}

extension APNSState {
    /// Checks one request and decides the answer. See ``APNSSnapshot/judge(_:authorizedBy:on:at:ids:)``.
    package func judge(
        _ request: MockRequest, authorizedBy reading: ParsedProviderToken, on connection: ConnectionFacts, at now: Date,
        ids: MockAnswerIDs
    ) -> Judgement {
        APNSSnapshot(self).judge(request, authorizedBy: reading, on: connection, at: now, ids: ids)
    }
}

extension APNSSnapshot {
    /// Checks one request and decides the answer.
    ///
    /// The result depends only on the arguments and on this value. Nothing changes here: pass the effect of the
    /// judgement to ``APNSState/apply(_:at:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - reading: The content of its `authorization` header.
    ///   - connection: What is known about its connection.
    ///   - now: The time.
    ///   - ids: The ids that the answer may need.
    /// - Returns: The verdict of the first check that fails, in the order of ``CheckOrder``, or an acceptance.
    package func judge(
        _ request: MockRequest,
        authorizedBy reading: ParsedProviderToken,
        on connection: ConnectionFacts,
        at now: Date,
        ids: MockAnswerIDs
    ) -> Judgement {
        let input = CheckInput(request: request, reading: reading, connection: connection, snapshot: self, now: now)
        if let (check, finding) = CheckOrder.of(request).firstFailure(input) {
            return Judgement(
                verdict: input.rejection(by: check, finding, ids: ids),
                connection: check.stage > .authentication ? input.authenticatedConnection : connection
            )
        }
        let (verdict, effect) = input.acceptance(ids: ids)
        return Judgement(verdict: verdict, connection: input.authenticatedConnection, effect: effect)
    }
}

extension Check {
    /// What was found, with the answer of the settings; `nil` if they accept it.
    func answer(_ finding: Finding, _ input: CheckInput) -> Finding? {
        var finding = finding
        if let answer = input.apns.variants.answers[fact.id] {
            guard let answer else { return nil }
            finding.reason = answer
        }
        return finding
    }
}

extension CheckInput {
    fileprivate var authenticatedConnection: ConnectionFacts {
        guard let providerToken else { return connection }
        var facts = connection
        facts.providerTokenAccepted(providerToken, at: now)
        return facts
    }

    fileprivate func rejection(by check: Check, _ finding: Finding, ids: MockAnswerIDs) -> MockVerdict {
        MockVerdict(
            status: finding.reason.statusOfMock,
            reason: finding.reason,
            timestamp: finding.since,
            messageID: messageID(ids),
            isRequestID: connection.api.usesRequestID(request.target),
            check: check.name,
            fact: check.fact,
            detail: finding.detail,
            remedy: finding.remedy
        )
    }

    fileprivate func acceptance(ids: MockAnswerIDs) -> (MockVerdict, Effect?) {
        if let app = request.target.app { return channelAcceptance(app, ids: ids) }
        let verdict = MockVerdict(
            status: 200,
            messageID: messageID(ids),
            uniqueID: environment == .sandbox ? .generated(ids.uniqueID, .lower) : nil,
            fact: .accepted,
            delivery: delivery,
            allowances: Allowance.needed(by: self)
        )
        return (verdict, apns.variants.deviceRateLimit == nil ? nil : .pushed(token: deviceTokenText))
    }

    /// What happens to an accepted push.
    private var delivery: MockDelivery {
        guard let device else { return .delivered }
        if !device.allowsNotifications { return .discarded }
        if device.isOnline { return .delivered }
        return isTriedOnce ? .discarded : .stored
    }

    /// The acceptance of a request about a broadcast or a channel.
    private func channelAcceptance(_ app: String, ids: MockAnswerIDs) -> (MockVerdict, Effect?) {
        func verdict(_ status: Int, body: [UInt8] = [], channelID: String? = nil) -> MockVerdict {
            MockVerdict(
                status: status, messageID: messageID(ids), isRequestID: true,
                uniqueID: nil, channelID: channelID, fact: .acceptedAboutChannels, answer: body,
                allowances: Allowance.needed(byChannels: self))
        }
        let id = request.channelID ?? ""
        switch (request.target, request.method) {
        case (.broadcast, _): return (verdict(200), .broadcast(id: id, app: app, environment))
        case (.channels, "POST"):
            let channel = MockChannel(
                id: ChannelIDForm.id(from: ids.uniqueID), storesNewest: newChannel?.storesNewest ?? false)
            return (verdict(201, channelID: channel.id), .created(channel, app: app, environment))
        case (.channels, "DELETE"): return (verdict(204), .deleted(id: id, app: app, environment))
        case (.channels, _):
            let policy = channel?.storesNewest == true ? 1 : 0
            let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
            return (verdict(200, body: Array(body.utf8)), nil)
        default:
            return (verdict(200, body: apns.channels.list(of: app, in: environment)), nil)
        }
    }

    /// Returns the `apns-id` of the request unchanged, or a new one. Requests about broadcasts and channels have an
    /// `apns-request-id` instead.
    private func messageID(_ ids: MockAnswerIDs) -> MockAnswerID {
        if connection.api.usesRequestID(request.target) {
            if let id = request.requestID, UUIDForm.letters(of: id) != nil { return .text(id) }
        } else if let id = request.id, idLetters != nil {
            return .text(id)
        }
        return .generated(ids.messageID, apns.variants.generatesLowerCaseID ? .lower : .upper)
    }
}

extension RejectionReason {
    /// The status of the mock's answer with this reason: that of Apple's page; 400 for a reason that is not on it.
    var statusOfMock: Int { explanation?.status ?? 400 }
}
