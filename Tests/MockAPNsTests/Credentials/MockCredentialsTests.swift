import APNSVocabulary
import MockAPNs
import PushWire
import Testing

@Suite struct MockCredentialsTests {
    @Test func `key id and team id have the ten characters of Apple's`() {
        #expect(MockCredentials.keyID == "MOCKKEY123")
        #expect(MockCredentials.teamID == "MOCKTEAM12")
        #expect(MockCredentials.keyID.count == 10 && MockCredentials.teamID.count == 10)
    }

    @Test func `the parts in memory belong together`() throws {
        let credentials = try MockCredentials.inMemory(names: ["mock.example", "192.0.2.7"])
        #expect(credentials.files == nil)
        let signature = try SigningKey(pem: Array(credentials.p8.utf8)).sign("message".utf8)
        #expect(credentials.verifyingKey.verify(signature: signature, over: "message".utf8))

        let server = try Certificate(pem: credentials.server.certificate)
        #expect(server.fits(privateKeyPEM: credentials.server.key))
        for name in ["localhost", "127.0.0.1", "::1", "mock.example", "192.0.2.7"] + APNSHost.all {
            #expect(server.covers(name), "\(name)")
        }
        #expect(!server.covers("other.example"))
    }

    @Test func `every mock in memory has keys of its own`() throws {
        let first = try MockCredentials.inMemory()
        let second = try MockCredentials.inMemory()
        #expect(first.p8 != second.p8)
        #expect(first.authority != second.authority)
    }

    @Test func `a name that can stand in no certificate is refused`() {
        #expect { try MockCredentials.inMemory(names: ["https://mock.example"]) } throws: {
            let error = $0 as? MockCredentialsError
            return error?.code == .badName && error?.description.contains("https://mock.example") == true
        }
    }

    @Test func `no key is in a description`() throws {
        let credentials = try MockCredentials.inMemory()
        for text in ["\(credentials)", String(reflecting: credentials)] {
            #expect(text == "MockCredentials(keyID: MOCKKEY123, teamID: MOCKTEAM12, in memory)")
        }
    }
}
