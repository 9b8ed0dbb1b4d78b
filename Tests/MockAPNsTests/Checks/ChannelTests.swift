import APNSVocabulary
import MockAPNs
import Testing

/// Accepted requests about broadcasts and channels, and what they change.
@Suite struct ChannelTests {
    @Test func `a new channel is answered with 201 and its id, and exists for the next request`() {
        var trial = Trial { $0.makeNewChannel() }
        let judgement = trial.judgement
        #expect(judgement.verdict.status == 201 && judgement.verdict.isAccepted)
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
        #expect(trial.verdict.status == 200)
        #expect(
            text(trial.verdict) == #"{"message-storage-policy":\#(storesNewest ? 1 : 0),"push-type":"LiveActivity"}"#)
    }

    @Test func `a deleted channel is gone: 204, then ChannelNotRegistered`() {
        var trial = Trial { $0.makeChannel("DELETE") }
        let judgement = trial.judgement
        #expect(judgement.verdict.status == 204 && judgement.verdict.body.isEmpty)
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
    ])
    func `other paths get 404`(path: String) {
        let verdict = Trial {
            $0.makeList(); $0.path = path; $0.method = "POST"
        }.verdict
        #expect(verdict.reason == .badPath && verdict.status == 404)
    }

    @Test func `pushes and channels have ports of their own`() {
        let channels = Trial {
            $0.makeList(); $0.connection = ConnectionFacts(number: 1)
        }.verdict
        #expect(channels.reason == .badPath && channels.detail?.contains("2195") == true)
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
        if let effect = judgement.effect { trial.world.apply(effect, at: Trial.now) }
    }

    private func text(_ verdict: Verdict) -> String { String(decoding: verdict.body, as: UTF8.self) }

    private func fields(_ verdict: Verdict) -> [String: String] {
        var fields: [String: String] = [:]
        verdict.forEachField { fields[$0] = $1 }
        return fields
    }
}
