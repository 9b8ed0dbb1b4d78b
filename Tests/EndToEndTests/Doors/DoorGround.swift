import Foundation
import TestSupport
import Testing

/// A mock and a service in front of it, to which the doors lead.
struct DoorGround: Sendable {
    let mock: RunningMock
    let service: RunningPushserve
    let key: String

    static let escapedPayload = "%7B%22aps%22%3A%7B%22alert%22%3A%22Hello%22%7D%7D"

    static func with(_ body: (DoorGround) async throws -> Void) async throws {
        try await RunningMock.with { mock in
            let service = try await RunningPushserve(before: mock)
            try await body(DoorGround(mock: mock, service: service, key: try await service.key("admin")))
            await service.end()
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: mock.workspace.folder.appending(path: name))
    }

    // MARK: Commands

    /// The options for a value, with `=`, so that a value may begin with a hyphen.
    func flags(_ value: DoorValue, isLint: Bool = false) -> [String] {
        let names: [DoorValue.Subject: String] = [
            .topic: "topic", .collapseID: "collapse-id", .apnsID: "apns-id", .expiration: "expires",
            .lifetime: "expires",
        ]
        let own = names[value.subject].map { ["--\($0)=\(value.text)"] } ?? []
        let topic = value.subject == .topic ? [] : ["--topic", RunningMock.topic]
        return own + topic + (isLint ? [] : ["--payload", "payload.json", "--mock", "--state", "mock"])
    }

    func command(_ arguments: [String], _ value: DoorValue) async throws -> Door.Answer {
        try write(value.subject == .payload ? value.bytes : Array(RunningMock.payload.utf8), to: "payload.json")
        let ended = try await mock.workspace.pushsend(arguments)
        return ended.status == 0 ? .accepted : .refused(ended.output + ended.errors)
    }

    /// Sends a broadcast to a new channel, which stores the newest one, so that it takes any expiration.
    func broadcast(_ value: DoorValue) async throws -> Door.Answer {
        let mocked = ["--mock", "--state", "mock"]
        let made = try await mock.workspace.pushsend(
            ["channel", "create", "--store", "newest", "--topic", RunningMock.topic] + mocked)
        let channel = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let payload = #"{"aps":{"timestamp":1795262400,"event":"update","content-state":{}}}"#
        let (topic, expires) =
            value.subject == .topic ? (value.text, "2100-01-01") : (RunningMock.topic, value.text)
        return try await command(
            ["channel", "send", channel, "--payload", payload, "--expires=\(expires)", "--topic=\(topic)"] + mocked,
            value)
    }

    /// Runs a campaign of one line.
    func batch(_ value: DoorValue, lines: String? = nil, _ flags: String...) async throws -> Door.Answer {
        try write(value.subject == .list ? value.bytes : Array((lines ?? line(value)).utf8), to: "lines")
        let command = ["batch", "lines", "--payload", "payload.json", "--topic", RunningMock.topic, "--restart"]
        return try await self.command(command + ["--mock", "--state", "mock", "--out", "campaign"] + flags, value)
    }

    // MARK: Requests

    private static let members: [DoorValue.Subject: String] = [
        .token: "token", .topic: "topic", .collapseID: "collapse_id", .apnsID: "apns_id", .expiration: "expires",
        .lifetime: "expires", .registration: "registered_at", .delivery: "deliver_at", .duration: "ttl",
        .user: "user",
    ]

    /// A line of a campaign.
    private func line(_ value: DoorValue) -> String {
        var members = [.token, .user].contains(value.subject) ? [] : [#""token":"\#(RunningMock.token)""#]
        if let name = Self.members[value.subject] { members.append("\"\(name)\":\(value.json)") }
        return "{\(members.joined(separator: ","))}"
    }

    /// The body of a push.
    func push(_ value: DoorValue) -> String {
        let line =
            value.subject == .expiration
            ? line(value).replacingOccurrences(of: "\"expires\":", with: "\"expires_at\":") : line(value)
        return "\(line.dropLast()),\"payload\":\(RunningMock.payload)}"
    }

    /// The answer of the service: one JSON object, or one in each line.
    func ask(_ path: String, _ body: String, type: String) async throws -> [JSON] {
        try write(Array(body.utf8), to: "body")
        return try await askWithFile(path, type: type)
    }

    private func askWithFile(_ path: String, type: String) async throws -> [JSON] {
        let ended = try await mock.workspace.run([
            "curl", "-sS", "--max-time", "250", "--noproxy", "*", "-H", "authorization: Bearer \(key)",
            "-H", "content-type: \(type)", "--data-binary", "@body", "\(service.url)\(path)",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        let whole = ended.json
        return whole == .null ? ended.output.split(separator: "\n").map { JSON(parsing: String($0)) } : [whole]
    }

    func request(_ path: String, _ body: String, type: String = "application/json") async throws -> Door.Answer {
        let answer = try #require(try await ask(path, body, type: type).first)
        return Self.answer(in: answer["problem"] ?? answer)
    }

    /// Uploads a line of a campaign.
    func upload(_ path: String, _ value: DoorValue) async throws -> Door.Answer {
        let isList = value.subject == .list
        try write(isList ? value.bytes : Array(line(value).utf8), to: "body")
        let answer = try #require(
            try await askWithFile(path, type: isList ? "text/csv" : "application/x-ndjson").first)
        if let refusal = answer["upload"]?["refusals"]?.elements.first { return Self.refusal(refusal) }
        return Self.answer(in: answer)
    }

    // MARK: Dead letters

    /// The delivery time of ``deadLetter()``.
    static let later = "2100-01-01T00:00:00.000Z"

    /// The id of a new dead letter, which was to be sent at ``later``.
    func deadLetter() async throws -> String {
        let body =
            #"{"token":"\#(RunningMock.token)","deliver_at":"\#(Self.later)","payload":\#(RunningMock.payload)}"#
        let made = try await ask("/v1/notifications", body, type: "application/json").first
        let id = try #require(made?["id"]?.string)
        #expect(try await pushserve(["queue", "bury", id]).status == 0)
        return id
    }

    /// Runs a command on the database of the service.
    func pushserve(_ arguments: [String]) async throws -> Ended {
        try await mock.workspace.start(BuiltProgram.pushserve, arguments + ["--config", "pushserve.yaml"]).end()
    }

    static func answer(in value: JSON) -> Door.Answer {
        value["detail"] == nil ? .accepted : refusal(value)
    }

    private static func refusal(_ problem: JSON) -> Door.Answer {
        .refused("\(problem["detail"]?.string ?? "") \(problem["remedy"]?.string ?? "")")
    }
}
