import Foundation
import TestSupport
import Testing

/// A way into the programs for a push, a payload, a token or a time.
struct Door: Sendable {
    /// What a door answers to a value.
    enum Answer: Sendable {
        case accepted
        /// All that it says.
        case refused(String)
    }

    /// The command, or the operation of the API, as the program itself names it.
    var place: String
    /// What of that place it is.
    var name = ""
    var subjects: Set<DoorValue.Subject>
    var ask: @Sendable (DoorGround, DoorValue) async throws -> Answer

    static let all =
        ofCommands + ofChannels + ofTokens + ofRequests + ofStored + ofTimes + ofDeadLetters + ofInbox
        + ofMock

    /// Places that take a push, a token or a time, but judge nothing of it anew.
    static let others = [
        "DELETE /v1/gone-tokens/{token}": "It answers 404 to a token that is not gone.",
        "pushsend delivery": "Its token is one of CloudKit Console.",
        "pushsend mock run": "It reads device tokens as mock exec does, but does not end.",
        mock + "GET /v1/devices/{token}": "It answers 404 to a token that is not registered.",
        mock + "DELETE /v1/devices/{token}": "It answers 404 to a token that is not registered.",
        mock + "POST /v1/phones/{id}/preview": "It shows what a phone makes of a push, right or wrong.",
        mock + "POST /v1/clock/advance": "Its duration has a sign: a clock can go back, and no time at all is a time.",
    ]

    // MARK: Commands

    private static let ofLines: Set<DoorValue.Subject> = [
        .token, .topic, .priority, .collapseID, .apnsID, .expiration, .lifetime, .registration,
    ]

    private static let ofFiles = ofLines.union([.payload, .list, .content, .line])

    private static let ofCommands = [
        Door(
            place: "pushsend send",
            subjects: [.token, .topic, .collapseID, .apnsID, .expiration, .lifetime, .payload, .content]
        ) { ground, value in
            let token = value.subject == .token ? value.text : RunningMock.token
            return try await ground.command(["send", token] + ground.flags(value), value)
        },
        Door(
            place: "pushsend lint",
            subjects: [.topic, .collapseID, .apnsID, .expiration, .lifetime, .payload, .content]
        ) { ground, value in
            let flags = ground.flags(value, isLint: true)
            return try await ground.command(["lint", "payload.json"] + flags, value)
        },
        Door(place: "pushsend batch", name: "the run", subjects: ofFiles) { ground, value in
            try await ground.batch(value)
        },
        Door(place: "pushsend batch", name: "--dry-run", subjects: ofFiles) { ground, value in
            try await ground.batch(value, "--dry-run")
        },
        Door(
            place: "pushsend batch", name: "--no-lint",
            subjects: [.token, .expiration, .lifetime, .registration, .line]
        ) { ground, value in
            try await ground.batch(value, "--no-lint")
        },
        Door(place: "pushsend batch", name: "a payload of a line", subjects: [.content]) { ground, value in
            try await ground.batch(value, lines: ground.push(value), hasPayload: false)
        },
        Door(place: "pushsend batch", name: "CSV", subjects: [.expiration, .lifetime, .registration]) { ground, value in
            let name = value.subject == .registration ? "registered_at" : "expires"
            return try await ground.batch(value, lines: "token,\(name)\n\(RunningMock.token),\(value.text)\n")
        },
    ]

    private static let ofChannels = [
        Door(
            place: "pushsend channel send", subjects: [.expiration, .topic, .broadcast, .broadcastHeader, .channel]
        ) { ground, value in
            try await ground.broadcast(value)
        },
        Door(place: "pushsend lint", name: "--broadcast", subjects: [.broadcastHeader]) { ground, value in
            try await ground.lintBroadcast(value)
        },
        Door(place: "pushsend channel show", subjects: [.channel]) { ground, value in
            try await ground.pushsend(
                ["channel", "show", value.text, "--topic", RunningMock.topic] + DoorGround.mocked)
        },
        Door(place: "pushsend channel delete", subjects: [.channel]) { ground, value in
            try await ground.pushsend(
                ["channel", "delete", value.text, "--topic", RunningMock.topic] + DoorGround.mocked)
        },
        Door(
            place: "POST /v1/notifications", name: "a broadcast",
            subjects: [.topic, .broadcast, .broadcastHeader, .channel]
        ) { ground, value in
            try await ground.request("/v1/notifications", ground.broadcastPush(value))
        },
        Door(
            place: "POST /v1/notifications", name: "a broadcast, validate_only",
            subjects: [.topic, .broadcast, .broadcastHeader, .channel]
        ) { ground, value in
            try await ground.request("/v1/notifications?validate_only=true", ground.broadcastPush(value))
        },
    ]

    /// Commands that only have a device token in common.
    private static let ofTokens = [
        Door(place: "pushsend verify", subjects: [.token]) { ground, value in
            let flags = ["--device=\(value.text)", "--topic", RunningMock.topic, "--pause", "0ms"]
            return try await ground.pushsend(["verify"] + flags + DoorGround.mocked)
        },
        Door(place: "pushsend profile add", subjects: [.token, .topic]) { ground, value in
            let name = "p\(UUID().uuidString.prefix(8))"
            let topic = value.subject == .topic ? value.text : RunningMock.topic
            let token = value.subject == .token ? value.text : RunningMock.token
            return try await ground.pushsend(["profile", "add", name, "--topic=\(topic)", "--device=phone=\(token)"])
        },
        Door(place: "pushsend inspect", subjects: [.token]) { ground, value in
            try await ground.pushsend(["inspect", value.text])
        },
        Door(place: "pushsend mock exec", name: "--register", subjects: [.token]) { ground, value in
            try await ground.mockExec("--register=\(value.text)")
        },
        Door(place: "pushsend mock exec", name: "--unregistered", subjects: [.token]) { ground, value in
            try await ground.mockExec("--unregistered=\(value.text)")
        },
    ]

    // MARK: Requests

    private static let ofRequests = [
        Door(place: "POST /v1/notifications", subjects: ofPushes.union([.line])) { ground, value in
            try await ground.request("/v1/notifications", ground.push(value))
        },
        Door(place: "POST /v1/notifications", name: "validate_only", subjects: ofPushes.union([.line])) {
            ground, value in
            try await ground.request("/v1/notifications?validate_only=true", ground.push(value))
        },
        Door(place: "POST /v1/notifications", name: "an array", subjects: ofPushes) { ground, value in
            try await ground.request("/v1/notifications", "[\(ground.push(value))]")
        },
        Door(place: "POST /v1/notifications", name: "a stream", subjects: ofPushes.union([.line])) { ground, value in
            try await ground.request("/v1/notifications", ground.push(value) + "\n", type: "application/x-ndjson")
        },
        Door(
            place: "POST /v1/notifications", name: "a stream, validate_only", subjects: ofPushes.union([.line])
        ) { ground, value in
            try await ground.request(
                "/v1/notifications?validate_only=true", ground.push(value) + "\n", type: "application/x-ndjson")
        },
        Door(
            place: "POST /v1/campaigns", name: "settings",
            subjects: [.expiration, .lifetime, .topic, .priority, .collapseID, .content]
        ) { ground, value in
            try await ground.request("/v1/campaigns", ground.campaign(value))
        },
        Door(place: "POST /v1/campaigns", name: "a payload in the query", subjects: [.content]) { ground, value in
            let line = DoorValue(subject: .token, text: RunningMock.token, expected: .accepted)
            return try await ground.upload("/v1/campaigns?name=Sale&start=false&payload=\(value.escaped)", line)
        },
        Door(place: "POST /v1/campaigns", name: "payloads of lines", subjects: [.content]) { ground, value in
            try await ground.upload("/v1/campaigns?name=Sale&start=false", value)
        },
        Door(place: "POST /v1/campaigns", name: "start", subjects: [.delivery]) { ground, value in
            try await ground.request("/v1/campaigns", #"{"name":"Sale","starts_at":\#(value.json)}"#)
        },
        Door(
            place: "POST /v1/campaigns", name: "lines",
            subjects: ofLines.subtracting([.apnsID]).union([.list, .user, .line])
        ) { ground, value in
            try await ground.upload("/v1/campaigns?name=Sale&start=false&payload=\(DoorGround.escapedPayload)", value)
        },
        Door(
            place: "POST /v1/campaigns/{id}/lines", subjects: ofLines.subtracting([.apnsID]).union([.user, .line])
        ) { ground, value in
            let made = try await ground.ask(
                "/v1/campaigns", #"{"name":"Sale","payload":\#(RunningMock.payload)}"#, type: "application/json")
            let id = try #require(made.first?["id"]?.string)
            return try await ground.upload("/v1/campaigns/\(id)/lines", value)
        },
    ]

    private static let ofPushes: Set<DoorValue.Subject> = [
        .token, .topic, .priority, .collapseID, .expiration, .registration, .delivery, .duration, .user, .content,
    ]

    /// What looks for pushes that are stored, or removes them.
    private static let ofStored = [
        Door(place: "GET /v1/notifications", name: "token", subjects: [.token]) { ground, value in
            try await ground.request("/v1/notifications?token=\(value.escaped)", method: "GET")
        },
        Door(place: "DELETE /v1/notifications", subjects: [.token]) { ground, value in
            try await ground.request("/v1/notifications?token=\(value.escaped)", method: "DELETE")
        },
        Door(place: "GET /v1/export", subjects: [.token]) { ground, value in
            try await ground.request("/v1/export?token=\(value.escaped)", method: "GET")
        },
        Door(place: "POST /v1/notifications/cancel", subjects: [.token, .moment]) { ground, value in
            let name = value.subject == .token ? "token" : "due_before"
            let body = #"{"collapse_id":"none","\#(name)":\#(value.json)}"#
            return try await ground.request("/v1/notifications/cancel", body)
        },
        Door(place: "pushserve queue purge", subjects: [.token]) { ground, value in
            let ended = try await ground.pushserve(["queue", "purge", "--token=\(value.text)"])
            return ended.status == 0 ? .accepted : .refused(ended.output + ended.errors)
        },
    ]

    private static let ofTimes = [
        ("GET /v1/notifications", "due_before", "?state=waiting&"), ("GET /v1/results", "since", "?"),
        ("GET /v1/results", "before", "?"), ("GET /v1/statistics", "since", "?"),
    ].map { place, name, query in
        Door(place: place, name: name, subjects: [.moment]) { ground, value in
            try await ground.request("\(place.dropFirst(4))\(query)\(name)=\(value.escaped)", method: "GET")
        }
    }

    // MARK: The API of the mock

    /// Before the operations of the mock's API.
    static let mock = "mock: "

    private static let ofMock = [
        Door(place: mock + "POST /v1/lint", subjects: [.topic, .collapseID, .priority, .content]) { ground, value in
            try await ground.askMock("POST", "/v1/lint", ground.composed(value))
        },
        // What is wrong with the rest, the mock says as APNs does.
        Door(place: mock + "POST /v1/send", subjects: [.token]) { ground, value in
            try await ground.askMock("POST", "/v1/send", ground.composed(value))
        },
        Door(place: mock + "POST /v1/faults", subjects: [.token]) { ground, value in
            try await ground.askMock(
                "POST", "/v1/faults", #"{"when":{"device_token":\#(value.json)},"steps":["judge"]}"#)
        },
        Door(place: mock + "PUT /v1/scenario", subjects: [.token]) { ground, value in
            try await ground.askMock(
                "PUT", "/v1/scenario", #"{"name":"doors","devices":[{"token":\#(value.json)}]}"#)
        },
        // A token in a path can't be empty. Otherwise, it's read as in a scenario.
        Door(place: mock + "PUT /v1/devices/{token}", subjects: [.moment]) { ground, value in
            try await ground.askMock(
                "PUT", "/v1/devices/\(RunningMock.token)", #"{"state":"unregistered","since":\#(value.json)}"#)
        },
        Door(place: mock + "PUT /v1/clock", subjects: [.moment]) { ground, value in
            try await ground.askMock("PUT", "/v1/clock", #"{"now":\#(value.json)}"#)
        },
    ]

    // MARK: The inbox in PostgreSQL

    /// What its SQL calls a place, with the subjects and the call. The doors exist only beside PostgreSQL.
    private static let ofInbox = [
        ("enqueue", ofPushes.union([.broadcast, .broadcastHeader, .channel]), "SELECT @.enqueue('shop', $p$%$p$)"),
        ("enqueue_all", [.token, .user, .content, .delivery], "SELECT @.enqueue_all('shop', $p$[%]$p$)"),
        (
            "inbox", [.token, .user, .expiration, .content],
            "INSERT INTO @.inbox (app, push) VALUES ('shop', $p$%$p$) RETURNING id"
        ),
    ].map { (name: String, subjects: Set<DoorValue.Subject>, call: String) in
        Door(place: DoorInbox.place + name, subjects: subjects) { ground, value in
            let isBroadcast = [.broadcast, .broadcastHeader, .channel].contains(value.subject)
            return try await ground.enqueue(
                isBroadcast ? ground.broadcastPush(value) : ground.push(value), call: call)
        }
    }

    // MARK: Dead letters

    /// Each value is given to a dead letter of its own, which keeps its delivery time.
    private static let ofDeadLetters = [
        Door(place: "POST /v1/dead-letters/redrive", subjects: [.duration]) { ground, value in
            let id = try await ground.deadLetter()
            let body = #"{"ids":["\#(id)"],"ttl":\#(value.json)}"#
            let answer = try #require(
                try await ground.ask("/v1/dead-letters/redrive", body, type: "application/json").first)
            guard let item = answer["items"]?.elements.first else { return DoorGround.answer(in: answer) }
            #expect(item["deliver_at"]?.string == DoorGround.later, "\(answer)")
            return .accepted
        },
        Door(place: "pushserve queue retry", subjects: [.duration]) { ground, value in
            let id = try await ground.deadLetter()
            let ended = try await ground.pushserve(["queue", "retry", id, "--ttl=\(value.text)", "--json"])
            guard ended.status == 0 else { return .refused(ended.errors) }
            #expect(ended.json["deliver_at"]?.string == DoorGround.later, "\(ended.output)")
            return .accepted
        },
    ]
}
