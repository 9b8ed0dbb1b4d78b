import APNSVocabulary
import MockAPNs
import PushPlatform
import Testing

@Suite struct VerdictTests {
    private func body(_ verdict: MockVerdict) -> String { String(decoding: verdict.body, as: UTF8.self) }

    @Test func `a rejection has its reason as JSON`() {
        let verdict = Trial { $0.path = "/3/device/xyz" }.verdict
        #expect(body(verdict) == #"{"reason":"BadDeviceToken"}"#)
    }

    @Test func `a 410 has a timestamp in milliseconds`() {
        let since = Date(timeIntervalSince1970: 1_799_999_999.1234)
        let trial = Trial { $0.apns.devices.register(try? Trial.device(state: .unregistered(since: since))) }
        #expect(body(trial.verdict) == #"{"reason":"Unregistered","timestamp":1799999999123}"#)
    }

    @Test func `a forced answer may hold anything`() {
        let verdict = MockVerdict(
            status: 503, reason: "a\"b\\c\n", timestamp: Date(timeIntervalSince1970: .infinity), messageID: "",
            fact: MockFact(id: "wanted", "A test wants it so.", .guess))
        #expect(body(verdict) == #"{"reason":"a\"b\\c\n","timestamp":9223372036854775807}"#)
        #expect(!verdict.isAccepted)
    }

    @Test func `an id comes back letter for letter`() {
        #expect(Trial { $0.headers["apns-id"] = Trial.id.uppercased() }.verdict.messageID == Trial.id.uppercased())
        #expect(Trial { $0.method = "GET" }.verdict.messageID == Trial.id)
    }

    @Test(arguments: [nil, "not-a-uuid"])
    func `a request without a usable id gets one in upper case`(id: String?) {
        let change = { (trial: inout Trial) in trial.headers["apns-id"] = id }
        #expect(Trial(change).verdict.messageID == "1294465C-E2AA-61D5-E49A-72E1A3C70BDC")
        let lower = Trial {
            change(&$0); $0.apns.variants.generatesLowerCaseID = true
        }
        #expect(lower.verdict.messageID == "1294465c-e2aa-61d5-e49a-72e1a3c70bdc")
    }

    @Test func `only the sandbox gives a unique id`() {
        #expect(Trial().verdict.uniqueID != nil)
        #expect(Trial { $0.apns.environment = .production }.verdict.uniqueID == nil)
    }

    @Test func `the same arguments get the same judgement`() {
        for fault in RejectionCases.all {
            #expect(Trial(fault.spoil).judgement == Trial(fault.spoil).judgement)
        }
    }

    @Test func `a remedy says what to change in the Swift API`() {
        let unknown = Trial {
            $0.token = Trial.token(keyID: "NEWKEY0001", teamID: "TEAM000002", signature: .unknownKey)
        }
        #expect(unknown.verdict.remedy == .trustKey(keyID: "NEWKEY0001", teamID: "TEAM000002"))
        #expect(
            unknown.verdict.remedy?.description == """
                Call MockServer.trust(pem:as:) with the key id "NEWKEY0001" and the team id "TEAM000002", or set \
                MockConfiguration.acceptsAnyKey to true.
                """)
        #expect(Trial { $0.apns.unknownTokens = .reject }.verdict.remedy == .acceptUnknownTokens)
        let wrong = Trial { $0.token = Trial.token(signature: .wrong) }
        #expect(wrong.verdict.remedy?.description.contains("acceptsAnyKey to true") == true)
    }

    @Test func `a remedy shows the ids of a token escaped and on one line`() {
        let trial = Trial { $0.token = Trial.token(keyID: "a\n\u{1B}", teamID: "$(x)", signature: .unknownKey) }
        #expect(trial.verdict.remedy?.description.contains(#"the key id "a\n\u{1B}" and"#) == true)
    }

    @Test func `swapped key and team ids are named`() {
        let apns = APNSState(trustedKeys: [MockTrustedKey(keyID: "KEY0000001", teamID: "TEAM000001")])
        let trial = Trial {
            $0.apns = apns
            $0.token = Trial.token(keyID: "TEAM000001", teamID: "KEY0000001", signature: .unknownKey)
        }
        #expect(trial.verdict.detail?.contains("swapped") == true)
    }

    @Test func `values of a peer are shown escaped and cut`() {
        let detail = Trial { $0.method = "A\n\u{1B}[31m" + String(repeating: "x", count: 500) }.verdict.detail ?? ""
        #expect(!detail.contains("\n") && !detail.contains("\u{1B}"))
        #expect(detail.count < 120)
    }

    @Test func `control characters from a peer are spelled out`() {
        let detail = Trial { $0.path = "/\u{9B}31m\u{85}\u{1B}[2J/é" }.verdict.detail
        #expect(detail == #"The path is "/\u{009B}31m\u{0085}\u{1B}[2J/é"."#)
    }

    @Test func `a fact shows how sure it is`() {
        #expect(
            Trial { $0.headers["apns-push-type"] = "background" }.verdict.fact.description
                == "Apple says that priority 10 is an error for a background push. The reason BadPriority is a guess. "
                + "(a guess)"
        )
        #expect(MockFactConfidence.allCases.map(\.rawValue) == ["2+", "A", "AA", "O", "1", "?"])
    }
}
