import APNSVocabulary
import MockAPNs
import Testing

/// What is accepted on a connection with a client certificate; what is not stands in ``RejectionCases``.
@Suite struct CertificateConnectionTests {
    @Test func `it needs no provider token`() {
        let trial = Trial {
            $0.connection = Trial.certified()
            $0.reading = .absent
        }
        #expect(trial.verdict.isAccepted)
    }

    @Test func `a provider token that comes all the same is not read`() {
        let trial = Trial {
            $0.connection = Trial.certified()
            $0.reading = .malformed("no token at all")
        }
        #expect(trial.verdict.isAccepted)
        #expect(trial.judgement.connection.teamID == nil)
    }

    @Test func `it may open many streams at once`() {
        #expect(Trial.certified().isAuthenticated)
        #expect(!ConnectionFacts(number: 1).isAuthenticated)
    }

    @Test func `the topic is the certificate's only one when the request names none`() {
        let trial = Trial {
            $0.connection = Trial.certified()
            $0.headers["apns-topic"] = nil
            $0.apns.devices.register(try? Trial.device(["com.example.app"]))
        }
        #expect(trial.verdict.isAccepted)
    }

    @Test func `and is held against the device`() {
        let trial = Trial {
            $0.connection = Trial.certified()
            $0.headers["apns-topic"] = nil
            $0.apns.devices.register(try? Trial.device(["com.example.other"]))
        }
        #expect(trial.reason == .deviceTokenNotForTopic)
    }

    @Test(arguments: ["com.example.app", "com.example.app.voip"])
    func `each topic of the list is taken`(topic: String) {
        let trial = Trial {
            $0.connection = Trial.certified(topics: ["com.example.app", "com.example.app.voip"])
            $0.headers["apns-topic"] = topic
            $0.headers["apns-push-type"] = topic.hasSuffix("voip") ? "voip" : "alert"
        }
        #expect(trial.verdict.isAccepted)
    }

    @Test func `one that names no topic sends to any`() {
        let trial = Trial { $0.connection = Trial.certified(topics: []) }
        #expect(trial.verdict.isAccepted)
    }

    @Test func `every certificate is accepted if credentials are not checked`() {
        let trial = Trial {
            $0.connection = Trial.certified(trust: .untrusted)
            $0.apns.authentication = .any
        }
        #expect(trial.verdict.isAccepted)
    }

    @Test func `its environment counts all the same`() {
        let trial = Trial {
            $0.connection = Trial.certified(environments: [.production], trust: .untrusted)
            $0.apns.authentication = .any
        }
        #expect(trial.reason == .badCertificateEnvironment)
    }
}
