import APNSVocabulary
import MockAPNs
import Testing

@Suite struct ConnectionFactsTests {
    @Test func `an accepted request binds the connection`() {
        let facts = Trial().judgement.connection
        #expect(facts.isAuthenticated)
        #expect(facts.teamID == Trial.key.teamID)
        #expect(facts.firstKeyID == Trial.key.keyID)
        #expect(facts.currentToken == .init(issuedAt: Trial.now.later(by: -60), firstSeen: Trial.now))
    }

    @Test func `a good token binds the connection though the rest of the request is bad`() {
        #expect(Trial { $0.headers["apns-topic"] = nil }.judgement.connection.isAuthenticated)
        #expect(Trial { $0.path = "/3/device/xyz" }.judgement.connection.isAuthenticated)
    }

    @Test(arguments: RejectionCases.form + RejectionCases.providerToken + RejectionCases.connection)
    func `what fails before or in authentication changes no fact`(fault: RejectionCase) {
        let trial = Trial(fault.spoil)
        #expect(trial.judgement.connection == trial.connection)
    }

    @Test func `the same iat is the same token, whatever its bytes`() {
        let first = Trial.connection(at: Trial.now.later(by: -5))
        let judgement = Trial {
            $0.connection = first
            $0.token = Trial.token(signatureForm: .der)
        }.judgement
        #expect(judgement.verdict.status == 200)
        #expect(judgement.connection == first)
    }

    @Test func `two alternating tokens are refused even 20 minutes later`() {
        let (old, new) = (Trial.token(age: 1800), Trial.token(age: 60))
        var connection = Trial.connection(with: old, at: Trial.now.later(by: -1200))
        connection =
            Trial {
                $0.connection = connection; $0.token = new
            }.judgement.connection
        #expect(connection.currentToken?.firstSeen == Trial.now)
        let back = Trial {
            $0.connection = connection; $0.token = old; $0.now = Trial.now.later(by: 1)
        }
        #expect(back.reason == .tooManyProviderTokenUpdates)
        #expect(back.judgement.connection == connection)
    }

    @Test func `another key of the team may follow, and the first key stays the first`() {
        let other = MockTrustedKey(keyID: "KEY0000002", teamID: Trial.key.teamID)
        let judgement = Trial {
            $0.apns.trust(other)
            $0.token = Trial.token(keyID: other.keyID)
            $0.connection = Trial.connection()
        }.judgement
        #expect(judgement.verdict.status == 200)
        #expect(judgement.connection.firstKeyID == Trial.key.keyID)
    }

    @Test(
        arguments: [
            (nil, nil, RejectionReason.unrelatedKeyIDInToken), ("KEY0000002", nil, nil), (nil, "KEY0000001", nil),
            ("KEY0000009", nil, .unrelatedKeyIDInToken),
        ] as [(String?, String?, RejectionReason?)])
    func `topic-specific keys share a connection only when one is related to the other`(
        ofFirst: String?, ofSecond: String?, reason: RejectionReason?
    ) {
        let topics: Set = ["com.example.app"]
        let trial = Trial {
            $0.apns.trust(.init(keyID: "KEY0000001", teamID: "T", topics: topics, relatedKeyID: ofFirst))
            $0.apns.trust(.init(keyID: "KEY0000002", teamID: "T", topics: topics, relatedKeyID: ofSecond))
            $0.connection = Trial.connection(with: Trial.token(keyID: "KEY0000001", teamID: "T"))
            $0.token = Trial.token(keyID: "KEY0000002", teamID: "T")
        }
        #expect(trial.reason == reason)
    }

    @Test func `with any key a connection still has one team`() {
        let trial = Trial {
            $0.apns.authentication = .any
            $0.connection = Trial.connection()
            $0.token = Trial.token(teamID: "TEAM000002", signature: .notChecked)
        }
        #expect(trial.reason == .invalidProviderToken)
        #expect(trial.verdict.check == "team of the connection")
    }

    @Test func `the reason for a second team can be another one`() {
        let trial = Trial {
            $0.apns.authentication = .any
            $0.apns.variants.secondTeamReason = .forbidden
            $0.connection = Trial.connection()
            $0.token = Trial.token(teamID: "TEAM000002")
        }
        #expect(trial.verdict.status == 403)
        #expect(trial.reason == .forbidden)
    }
}
