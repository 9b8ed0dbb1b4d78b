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

    static let all = ofCommands + ofRequests + ofDeadLetters

    /// Places that take a push, a token or a time, but judge nothing of it anew.
    static let others = [
        "pushserve queue purge": "It takes any token, because it removes what is stored.",
        "DELETE /v1/gone-tokens/{token}": "It takes any token, because it removes what is stored.",
        "DELETE /v1/notifications": "It takes any token, because it removes what is stored.",
        "GET /v1/notifications": "It takes any token, because it looks for what is stored.",
        "GET /v1/export": "It takes any token, because it looks for what is stored.",
        "POST /v1/notifications/cancel": "It takes any token, because it looks for what is stored.",
        "pushsend delivery": "Its token is one of CloudKit Console.",
    ]

    // MARK: Commands

    private static let ofLines: Set<DoorValue.Subject> = [
        .token, .topic, .collapseID, .apnsID, .expiration, .lifetime, .registration,
    ]

    private static let ofCommands = [
        Door(
            place: "pushsend send",
            subjects: [.token, .topic, .collapseID, .apnsID, .expiration, .lifetime, .payload]
        ) { ground, value in
            let token = value.subject == .token ? value.text : RunningMock.token
            return try await ground.command(["send", token] + ground.flags(value), value)
        },
        Door(place: "pushsend lint", subjects: [.topic, .collapseID, .apnsID, .expiration, .lifetime, .payload]) {
            ground, value in
            let flags = ground.flags(value, isLint: true)
            return try await ground.command(["lint", "payload.json"] + flags, value)
        },
        Door(place: "pushsend channel send", subjects: [.expiration, .topic]) { ground, value in
            try await ground.broadcast(value)
        },
        Door(place: "pushsend batch", name: "the run", subjects: ofLines.union([.payload, .list])) { ground, value in
            try await ground.batch(value)
        },
        Door(place: "pushsend batch", name: "--dry-run", subjects: ofLines.union([.payload, .list])) { ground, value in
            try await ground.batch(value, "--dry-run")
        },
        Door(place: "pushsend batch", name: "--no-lint", subjects: [.token, .expiration, .lifetime, .registration]) {
            ground, value in
            try await ground.batch(value, "--no-lint")
        },
        Door(place: "pushsend batch", name: "CSV", subjects: [.expiration, .lifetime, .registration]) { ground, value in
            let name = value.subject == .registration ? "registered_at" : "expires"
            return try await ground.batch(value, lines: "token,\(name)\n\(RunningMock.token),\(value.text)\n")
        },
    ]

    // MARK: Requests

    private static let ofRequests = [
        Door(place: "POST /v1/notifications", subjects: ofPushes) { ground, value in
            try await ground.request("/v1/notifications", ground.push(value))
        },
        Door(place: "POST /v1/notifications", name: "validate_only", subjects: ofPushes) { ground, value in
            try await ground.request("/v1/notifications?validate_only=true", ground.push(value))
        },
        Door(place: "POST /v1/notifications", name: "an array", subjects: ofPushes) { ground, value in
            try await ground.request("/v1/notifications", "[\(ground.push(value))]")
        },
        Door(place: "POST /v1/notifications", name: "a stream", subjects: ofPushes) { ground, value in
            try await ground.request("/v1/notifications", ground.push(value) + "\n", type: "application/x-ndjson")
        },
        Door(
            place: "POST /v1/notifications", name: "a stream, validate_only", subjects: ofPushes
        ) { ground, value in
            try await ground.request(
                "/v1/notifications?validate_only=true", ground.push(value) + "\n", type: "application/x-ndjson")
        },
        Door(place: "POST /v1/campaigns", name: "settings", subjects: [.expiration, .lifetime]) { ground, value in
            try await ground.request("/v1/campaigns", #"{"name":"Sale","expires":\#(value.json)}"#)
        },
        Door(place: "POST /v1/campaigns", name: "start", subjects: [.delivery]) { ground, value in
            try await ground.request("/v1/campaigns", #"{"name":"Sale","starts_at":\#(value.json)}"#)
        },
        Door(
            place: "POST /v1/campaigns", name: "lines", subjects: ofLines.subtracting([.apnsID]).union([.list, .user])
        ) { ground, value in
            try await ground.upload("/v1/campaigns?name=Sale&start=false&payload=\(DoorGround.escapedPayload)", value)
        },
        Door(
            place: "POST /v1/campaigns/{id}/lines", subjects: ofLines.subtracting([.apnsID]).union([.user])
        ) { ground, value in
            let made = try await ground.ask(
                "/v1/campaigns", #"{"name":"Sale","payload":\#(RunningMock.payload)}"#, type: "application/json")
            let id = try #require(made.first?["id"]?.string)
            return try await ground.upload("/v1/campaigns/\(id)/lines", value)
        },
    ]

    private static let ofPushes: Set<DoorValue.Subject> = [
        .token, .topic, .collapseID, .expiration, .registration, .delivery, .duration, .user,
    ]

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
