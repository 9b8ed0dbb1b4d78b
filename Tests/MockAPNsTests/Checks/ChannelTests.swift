import APNSVocabulary
import PushWire
import Testing

@testable import MockAPNs

/// Accepted requests about broadcasts and channels, and what they change.
@Suite struct ChannelTests {
    @Test func `a new channel is answered with 201 and its id, and exists for the next request`() {
        var trial = Trial { $0.makeNewChannel() }
        let judgement = trial.judgement
        #expect(judgement.verdict.status == 201 && judgement.verdict.isAccepted)
        #expect(judgement.verdict.fact.id == "accepted-about-channels")
        #expect(judgement.verdict.body.isEmpty)
        let id = judgement.verdict.channelID
        #expect(id == "q83vAAAAAAAAAAAAAAAAAQ==")
        #expect(fields(judgement.verdict) == ["apns-request-id": Trial.id, "apns-channel-id": id ?? ""])
        apply(judgement, to: &trial)
        trial.makeList()
        #expect(text(trial.verdict) == #"{"channels":["q83vAAAAAAAAAAAAAAAAAQ=="]}"#)
    }

    @Test(arguments: [true, false])
    func `a channel is read with its policy`(storesNewest: Bool) {
        var trial = Trial {
            $0.makeNewChannel(#"{"message-storage-policy":\#(storesNewest ? 1 : 0),"push-type":"liveactivity"}"#)
        }
        let id = trial.verdict.channelID
        apply(trial.judgement, to: &trial)
        trial.makeChannel("GET")
        trial.headers["apns-channel-id"] = id
        #expect(trial.verdict.status == 200 && trial.verdict.fact.id == "accepted-about-channels")
        #expect(
            text(trial.verdict) == #"{"message-storage-policy":\#(storesNewest ? 1 : 0),"push-type":"LiveActivity"}"#)
    }

    @Test func `a deleted channel is gone: 204, then ChannelNotRegistered`() {
        var trial = Trial { $0.makeChannel("DELETE") }
        let judgement = trial.judgement
        #expect(judgement.verdict.status == 204 && judgement.verdict.body.isEmpty)
        #expect(judgement.verdict.fact.id == "accepted-about-channels")
        apply(judgement, to: &trial)
        #expect(trial.verdict.reason == .channelNotRegistered)
        trial.makeList()
        #expect(text(trial.verdict) == #"{"channels":[]}"#)
    }

    @Test func `a broadcast is counted, and has a request id and no apns-id`() {
        let judgement = Trial { $0.makeBroadcast() }.judgement
        #expect(judgement.verdict.status == 200)
        #expect(fields(judgement.verdict) == ["apns-request-id": Trial.id])
        #expect(judgement.effect == .broadcast(id: Trial.channel, app: Trial.app, .sandbox))
    }

    @Test func `a request without an id gets one`() {
        let verdict = Trial {
            $0.makeList()
            $0.headers["apns-request-id"] = nil
        }.verdict
        #expect(fields(verdict) == ["apns-request-id": "1294465C-E2AA-61D5-E49A-72E1A3C70BDC"])
    }

    @Test(arguments: ["liveactivity", "Liveactivity", "LiveActivity"])
    func `the push type of a broadcast is accepted as Apple's pages spell it`(type: String) {
        let verdict = Trial {
            $0.makeBroadcast()
            $0.headers["apns-push-type"] = type
        }.verdict
        #expect(verdict.isAccepted)
    }

    @Test(arguments: ["PUT", "HEAD", "PATCH"])
    func `other methods get 405`(method: String) {
        #expect(Trial { $0.makeChannel(method) }.verdict.status == 405)
        #expect(
            Trial {
                $0.makeBroadcast(); $0.method = "GET"
            }.reason == .methodNotAllowed)
        #expect(
            Trial {
                $0.makeList(); $0.method = "POST"
            }.reason == .methodNotAllowed)
    }

    @Test(arguments: [
        "/1/apps//channels", "/1/apps/com.example.app", "/1/apps/com.example.app/channels/x", "/4/broadcasts/apps/",
        "/4/broadcasts/apps/com.example.app/x", "/1/apps/com.example.app/channel",
        "/1/apps/com.example.app/all-channelss",
    ])
    func `other paths get 404`(path: String) {
        for method in ["POST", "GET", "DELETE"] {
            let verdict = Trial {
                $0.makeList(); $0.path = path; $0.method = method
            }.verdict
            #expect(verdict.reason == .badPath && verdict.status == 404)
            // The port is one for channels, so the answer has an apns-request-id.
            #expect(verdict.isRequestID)
        }
    }

    @Test func `what APNs may refuse in a broadcast is accepted with an allowance`() {
        #expect(Trial { $0.makeBroadcast() }.verdict.allowances.isEmpty)
        let verdict = Trial {
            $0.makeBroadcast()
            $0.headers["apns-priority"] = nil
            $0.headers["apns-expiration"] = nil
            $0.headers["apns-topic"] = "com.example.app"
        }.verdict
        #expect(verdict.isAccepted)
        let facts = verdict.allowances.map(\.statement).joined()
        for word in ["no apns-priority", "no apns-expiration", "has an apns-topic"] { #expect(facts.contains(word)) }
    }

    @Test func `the list of channels is made once, and again after a change`() {
        var registry = ChannelRegistry()
        let app = "com.example.app"
        func list() -> [UInt8] { registry.list(of: app, in: .sandbox) }
        #expect(list() == Array(#"{"channels":[]}"#.utf8))
        registry.add(MockChannel(id: "YQ==", storesNewest: false), of: app, in: .sandbox)
        let first = list()
        #expect(first == Array(#"{"channels":["YQ=="]}"#.utf8))
        let again = list()
        #expect(first.withUnsafeBytes { $0.baseAddress } == again.withUnsafeBytes { $0.baseAddress })
        registry.add(MockChannel(id: "YA==", storesNewest: false), of: app, in: .sandbox)
        #expect(list() == Array(#"{"channels":["YA==","YQ=="]}"#.utf8))
        registry.remove("YQ==", of: app, in: .sandbox)
        #expect(list() == Array(#"{"channels":["YA=="]}"#.utf8))
    }

    @Test(arguments: ["GET", "POST", "DELETE", "PUT"])
    func `a wrong path of a management port gets BadPath with a request id, with every method`(method: String) {
        for path in ["/1/apps/com.example.app", "/", "/3/device/\(Trial.hex)"] {
            let verdict = Trial {
                $0.makeList()
                $0.method = method
                $0.path = path
            }.verdict
            #expect(verdict.reason == .badPath && verdict.status == 404)
            #expect(fields(verdict) == ["apns-request-id": Trial.id])
        }
        let push = Trial {
            $0.method = method; $0.path = "/nothing"
        }.verdict
        #expect(push.reason == (method == "POST" ? .badPath : .methodNotAllowed))
        #expect(fields(push) == ["apns-id": Trial.id])
    }

    @Test func `a request that is not answered has its own id in the log`() {
        let trial = Trial { $0.makeList() }
        #expect(
            MockFault.Answer(status: 500).verdict(for: trial.request, on: .channels(.sandbox)).messageID == Trial.id)
        for verdict in [
            MockVerdict.unanswered(trial.request, "why"), .unfinished(trial.request, "why"),
            .refused(trial.request, .accepted, "why"),
        ] {
            #expect(verdict.messageID == Trial.id && verdict.isRequestID)
        }
        #expect(MockVerdict.unanswered(Trial().request, "why").isRequestID == false)
    }

    // MARK: Allowances

    @Test(arguments: [
        ("apns-priority", String?.none, "apns-priority"), ("apns-expiration", nil, "apns-expiration"),
        ("apns-topic", "com.example.app", "apns-topic"), ("apns-expiration", "1", "in the past"),
    ])
    func `a broadcast that APNs may refuse has an allowance`(header: String, value: String?, words: String) {
        let verdict = Trial {
            $0.makeBroadcast()
            $0.headers[header] = value
        }.verdict
        #expect(verdict.isAccepted && verdict.allowances.count == 1)
        #expect(verdict.allowances.first?.statement.contains(words) == true)
        #expect(Trial { $0.makeBroadcast() }.verdict.allowances.isEmpty)
    }

    @Test(arguments: [
        #"{"aps":{"event":"start"}}"#, #"{"aps":{}}"#, "{}", #"{"aps":{"event":1}}"#,
    ])
    func `a broadcast with another event than update or end has an allowance`(body: String) {
        let verdict = Trial {
            $0.makeBroadcast()
            $0.body = Array(body.utf8)
        }.verdict
        #expect(verdict.allowances.map(\.statement).contains { $0.hasPrefix("The event of a broadcast") })
    }

    @Test func `with every token accepted, requests about channels say so`() {
        for make: (inout Trial) -> Void in [
            { $0.makeList() }, { $0.makeNewChannel() }, { $0.makeChannel("GET") }, { $0.makeBroadcast() },
        ] {
            let verdict = Trial {
                make(&$0)
                $0.apns.authentication = .any
            }.verdict
            #expect(verdict.allowances == [.everybodysToken])
        }
    }

    @Test(arguments: ["com.example.voip", "com.example.app.complication"])
    func `a bundle id may end in a word that is also a suffix, with an allowance`(app: String) {
        let verdict = Trial { $0.makeList(app: app) }.verdict
        #expect(verdict.isAccepted && verdict.allowances.count == 1)
    }

    // MARK: The other environment, and room

    @Test func `the answer for a key of the other environment names the other port`() {
        var trial = Trial { $0.makeList() }
        trial.apns.trust(
            MockTrustedKey(keyID: Trial.key.keyID, teamID: Trial.key.teamID, environments: [.production]))
        #expect(trial.reason == .badEnvironmentKeyInToken)
        #expect(trial.verdict.remedy == .useChannelsPort(of: .production))
        #expect(trial.verdict.detail?.contains("this port manages") == true)
        var push = Trial()
        push.apns = trial.apns
        #expect(push.verdict.remedy == .simulateEnvironment(.production))
    }

    @Test func `10 000 channels are listed, and a change changes the list`() {
        var trial = Trial { $0.makeList() }
        for number in 0..<10_000 {
            trial.apns.apply(
                .created(MockChannel(id: "channel-\(10_000 + number)", storesNewest: false), app: Trial.app, .sandbox),
                at: Trial.now)
        }
        let body = trial.verdict.body
        #expect(body.count == 10_000 * 16 + 14)
        // The same memory: a client that asks often needs no more of it.
        let same = trial.verdict.body.withUnsafeBytes { new in
            body.withUnsafeBytes { $0.baseAddress == new.baseAddress }
        }
        #expect(same)
        trial.apns.apply(.deleted(id: "channel-10000", app: Trial.app, .sandbox), at: Trial.now)
        #expect(trial.verdict.body.count == body.count - 16)
        #expect(!trial.request.mustBeJudgedAlone(limitsDevices: trial.apns.variants.deviceRateLimit != nil))
    }

    @Test func `the channels of all apps together are bounded, and deleted ones make room`() {
        var apns = APNSState()
        for number in 0..<ChannelRegistry.maximum {
            apns.apply(
                .created(MockChannel(id: "\(number)", storesNewest: false), app: "app\(number)", .sandbox),
                at: Trial.now)
        }
        var trial = Trial { $0.makeNewChannel() }
        apns.trust(Trial.key)
        trial.apns = apns
        #expect(trial.reason == .cannotCreateChannelConfig && trial.verdict.check == "room for channels")
        trial.apns.apply(.deleted(id: "7", app: "app7", .sandbox), at: Trial.now)
        trial.apns.apply(.deleted(id: "7", app: "app7", .sandbox), at: Trial.now)
        #expect(trial.verdict.isAccepted && trial.apns.channels.total == ChannelRegistry.maximum - 1)
    }

    @Test func `pushes and channels have separate ports`() {
        let channels = Trial {
            $0.makeList(); $0.connection = ConnectionFacts(number: 1)
        }.verdict
        #expect(channels.reason == .badPath)
        // The ports of Apple are those of this mock only where it plays Apple's host.
        #expect(channels.detail?.contains("2195") == false && channels.advice?.contains("channelsPort") == true)
        let apple = Trial {
            $0.makeList(); $0.connection = ConnectionFacts(number: 1, appleHost: "api.push.apple.com")
        }.verdict
        #expect(apple.reason == .badPath && apple.detail?.contains("2195") == true)
        let push = Trial { $0.connection = ConnectionFacts(number: 1, api: .channels(.sandbox)) }.verdict
        #expect(push.reason == .badPath)
    }

    @Test func `a connection with a certificate needs no provider token`() {
        let verdict = Trial {
            $0.makeBroadcast()
            $0.connection = Trial.certified()
            $0.reading = .absent
        }.verdict
        #expect(verdict.isAccepted)
    }

    private func apply(_ judgement: Judgement, to trial: inout Trial) {
        if let effect = judgement.effect { trial.apns.apply(effect, at: Trial.now) }
    }

    private func text(_ verdict: MockVerdict) -> String { String(decoding: verdict.body, as: UTF8.self) }

    private func fields(_ verdict: MockVerdict) -> [String: String] {
        let fields = verdict.headers(hasBody: false).fields.filter { !$0.name.hasPrefix(":") }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    }
}
