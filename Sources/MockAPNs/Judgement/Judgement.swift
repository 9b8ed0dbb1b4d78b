import APNSVocabulary

/// A verdict, and what the mock knows about the connection after it.
package struct Judgement: Hashable, Sendable {
    /// The answer, and the reason for it.
    package let verdict: Verdict
    /// The facts of the connection after the request. Pass them to the next call for this connection.
    package let connection: ConnectionFacts
}

extension World {
    /// Checks one request and decides the answer.
    ///
    /// The result depends only on the arguments and on this value. Nothing is counted here: call
    /// ``requestAccepted(_:at:)`` afterwards for an accepted request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - reading: The content of its `authorization` header.
    ///   - connection: What is known about its connection.
    ///   - now: The time.
    ///   - ids: The ids that the answer may need.
    /// - Returns: The verdict of the first check that fails, in the order of ``Check/table``, or status 200.
    package func judge(
        _ request: MockRequest,
        authorizedBy reading: ParsedProviderToken,
        on connection: ConnectionFacts,
        at now: Moment,
        ids: AnswerIDs
    ) -> Judgement {
        let input = CheckInput(request: request, reading: reading, connection: connection, world: self, now: now)
        let table = Check.table
        for index in table.indices {
            guard let finding = table[index].objection(input) else { continue }
            let check = table[index]
            return Judgement(
                verdict: input.rejection(by: check, finding, ids: ids),
                connection: check.stage > .authentication ? input.authenticatedConnection : connection
            )
        }
        return Judgement(verdict: input.acceptance(ids: ids), connection: input.authenticatedConnection)
    }
}

extension CheckInput {
    fileprivate var authenticatedConnection: ConnectionFacts {
        guard let providerToken else { return connection }
        var facts = connection
        facts.providerTokenAccepted(providerToken, at: now)
        return facts
    }

    fileprivate func rejection(by check: Check, _ finding: Finding, ids: AnswerIDs) -> Verdict {
        Verdict(
            status: finding.reason.explanation?.status ?? 400,
            reason: finding.reason,
            timestamp: finding.since,
            messageID: messageID(ids),
            check: check.name,
            fact: check.fact,
            detail: finding.detail,
            remedy: finding.remedy
        )
    }

    fileprivate func acceptance(ids: AnswerIDs) -> Verdict {
        Verdict(
            status: 200,
            messageID: messageID(ids),
            uniqueID: world.environment == .sandbox ? AnswerIDs.spell(ids.uniqueID, .lower) : nil,
            fact: .accepted,
            allowances: Allowance.needed(by: self)
        )
    }

    /// Returns the `apns-id` of the request unchanged, or a new one.
    private func messageID(_ ids: AnswerIDs) -> String {
        if let id = request.id, idLetters != nil { return id }
        return AnswerIDs.spell(ids.messageID, world.variants.generatedIDLetters)
    }
}
