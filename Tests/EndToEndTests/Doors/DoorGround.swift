import Foundation
import TestSupport
import Testing

/// A mock and a service in front of it, to which the doors lead.
struct DoorGround: Sendable {
    let mock: RunningMock
    let service: RunningPushserve
    let key: String
    /// The inbox of the service; `nil` without PostgreSQL.
    let inbox: DoorInbox?

    static let escapedPayload = "%7B%22aps%22%3A%7B%22alert%22%3A%22Hello%22%7D%7D"

    static func with(_ body: (DoorGround) async throws -> Void) async throws {
        try await RunningMock.with("--console-port", "0") { mock in
            let inbox = try await DoorInbox.installed(in: mock.workspace)
            let service = try await RunningPushserve(before: mock, inbox: inbox?.address)
            let key = try await service.key("admin")
            try await body(DoorGround(mock: mock, service: service, key: key, inbox: inbox))
            await service.end()
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: mock.workspace.folder.appending(path: name))
    }

    // MARK: Commands

    static let mocked = ["--mock", "--state", "mock"]

    func pushsend(_ arguments: [String]) async throws -> Door.Answer {
        let ended = try await mock.workspace.pushsend(arguments)
        return ended.status == 0 ? .accepted : .refused(ended.output + ended.errors)
    }

    /// Runs a mock of its own with an option.
    func mockExec(_ flag: String) async throws -> Door.Answer {
        let ports = ["--port", "0", "--console-port", "0", "--channel-ports", "0,0"]
        return try await pushsend(["mock", "exec", "--state", "exec", flag] + ports + ["--", "true"])
    }

    /// The options for a value, with `=`, so that a value may begin with a hyphen.
    func flags(_ value: DoorValue, isLint: Bool = false) -> [String] {
        let names: [DoorValue.Subject: String] = [
            .topic: "topic", .collapseID: "collapse-id", .apnsID: "apns-id", .expiration: "expires",
            .lifetime: "expires",
        ]
        let own = names[value.subject].map { ["--\($0)=\(value.text)"] } ?? []
        let topic = value.subject == .topic ? [] : ["--topic", RunningMock.topic]
        return own + topic + (isLint ? [] : ["--payload", "payload.json"] + Self.mocked)
    }

    func command(_ arguments: [String], _ value: DoorValue) async throws -> Door.Answer {
        let isPayload = [.payload, .content].contains(value.subject)
        try write(isPayload ? value.bytes : Array(RunningMock.payload.utf8), to: "payload.json")
        return try await pushsend(arguments)
    }

    /// Sends a broadcast to a new channel, which stores the newest one, so that it takes any expiration.
    func broadcast(_ value: DoorValue) async throws -> Door.Answer {
        let made = try await mock.workspace.pushsend(
            ["channel", "create", "--store", "newest", "--topic", RunningMock.topic] + Self.mocked)
        let channel =
            value.subject == .channel ? value.text : made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let payload = value.subject == .broadcast ? value.text : Self.update
        let topic = value.subject == .topic ? value.text : RunningMock.topic
        let expires = value.subject == .expiration ? value.text : "2100-01-01"
        return try await pushsend(
            ["channel", "send", channel, "--payload", payload, "--expires=\(expires)", "--topic=\(topic)"]
                + broadcastHeader(value).map { "--\($0.replacing("_", with: "-"))=\($1)" } + Self.mocked)
    }

    /// The name of the header of a value, and what it is; empty for other values.
    private func broadcastHeader(_ value: DoorValue) -> [(String, String)] {
        guard value.subject == .broadcastHeader else { return [] }
        let parts = value.text.split(separator: "=").map { String($0) }
        return [(parts[0], parts[1])]
    }

    /// Checks a broadcast that is not sent.
    func lintBroadcast(_ value: DoorValue) async throws -> Door.Answer {
        try write(Array(Self.update.utf8), to: "payload.json")
        let header = broadcastHeader(value).map { "--\($0.replacing("_", with: "-"))=\($1)" }
        return try await pushsend(["lint", "payload.json", "--broadcast"] + header)
    }

    private static let update = #"{"aps":{"timestamp":1795262400,"event":"update","content-state":{}}}"#

    /// The body of a broadcast.
    func broadcastPush(_ value: DoorValue) -> String {
        let channel = value.subject == .channel ? value.json : #""dHN0LXNyY2gtY2hubA==""#
        let payload = value.subject == .broadcast ? value.text : Self.update
        let topic = value.subject == .topic ? ",\"topic\":\(value.json)" : ""
        let header = broadcastHeader(value).map { ",\"\($0)\":\"\($1)\"" }.joined()
        return "{\"channel\":\(channel),\"payload\":\(payload)\(topic)\(header)}"
    }

    /// Runs a campaign of one line.
    func batch(
        _ value: DoorValue, lines: String? = nil, hasPayload: Bool = true, _ flags: String...
    ) async throws -> Door.Answer {
        try write(value.subject == .list ? value.bytes : Array((lines ?? line(value)).utf8), to: "lines")
        let payload = hasPayload ? ["--payload", "payload.json"] : []
        let command = ["batch", "lines", "--topic", RunningMock.topic, "--restart", "--out", "campaign"]
        return try await self.command(command + payload + Self.mocked + flags, value)
    }

    // MARK: Requests

    private static let members: [DoorValue.Subject: String] = [
        .token: "token", .topic: "topic", .priority: "priority", .collapseID: "collapse_id", .apnsID: "apns_id",
        .expiration: "expires",
        .lifetime: "expires", .registration: "registered_at", .delivery: "deliver_at", .duration: "ttl",
        .user: "user",
    ]

    /// A line of a campaign.
    private func line(_ value: DoorValue) -> String {
        if value.subject == .line { return value.text }
        var members = [.token, .user].contains(value.subject) ? [] : [#""token":"\#(RunningMock.token)""#]
        if let name = Self.members[value.subject] { members.append("\"\(name)\":\(value.json)") }
        return "{\(members.joined(separator: ","))}"
    }

    /// The body of a push.
    func push(_ value: DoorValue) -> String {
        if value.subject == .line { return value.text }
        let payload = value.subject == .content ? value.text : RunningMock.payload
        let line =
            value.subject == .expiration
            ? line(value).replacingOccurrences(of: "\"expires\":", with: "\"expires_at\":") : line(value)
        return "\(line.dropLast()),\"payload\":\(payload)}"
    }

    /// The body of a new campaign without lines.
    func campaign(_ value: DoorValue) -> String {
        let isPayload = value.subject == .content
        let name = isPayload ? "payload" : Self.members[value.subject] ?? ""
        return #"{"name":"Sale","\#(name)":\#(isPayload ? value.text : value.json)}"#
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

    /// Asks without a body. The answer may have no JSON that says what is wrong.
    func request(_ path: String, method: String) async throws -> Door.Answer {
        let ended = try await mock.workspace.run([
            "curl", "-sS", "--max-time", "250", "--noproxy", "*", "-X", method, "-H",
            "authorization: Bearer \(key)", "\(service.url)\(path)",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        return Self.answer(in: ended.json)
    }

    /// Uploads a line of a campaign.
    func upload(_ path: String, _ value: DoorValue) async throws -> Door.Answer {
        let isList = value.subject == .list
        let text = value.subject == .content ? push(value) : line(value)
        try write(isList ? value.bytes : Array(text.utf8), to: "body")
        let answer = try #require(
            try await askWithFile(path, type: isList ? "text/csv" : "application/x-ndjson").first)
        if let refusal = answer["upload"]?["refusals"]?.elements.first { return Self.refusal(refusal) }
        return Self.answer(in: answer)
    }

    // MARK: The API of the mock

    /// The body of a push for the mock's API, which has the payload as text.
    func composed(_ value: DoorValue) -> String {
        let payload = value.subject == .content ? value.text : RunningMock.payload
        var members = [
            "token": "\"\(RunningMock.token)\"", "topic": "\"\(RunningMock.topic)\"",
            "payload": DoorValue.json(of: payload),
        ]
        if let name = Self.members[value.subject] { members[name] = value.json }
        return "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }

    /// Asks the mock, and then takes back what that has changed.
    func askMock(_ method: String, _ path: String, _ body: String) async throws -> Door.Answer {
        let answer = try await curlMock(method, path, body)
        _ = try await curlMock("POST", "/v1/reset", "{}")
        let errors = (answer["items"]?.elements ?? []).filter { $0["severity"] == "error" }
        guard !errors.isEmpty else { return Self.answer(in: answer) }
        return .refused(errors.map { "\($0["problem"]?.string ?? "") \($0["remedy"]?.string ?? "")" }.joined())
    }

    func curlMock(_ method: String, _ path: String, _ body: String = "") async throws -> JSON {
        let note = JSON(parsing: try mock.workspace.read("mock/running.json"))
        try write(Array(body.utf8), to: "body")
        let ended = try await mock.workspace.run([
            "curl", "-sS", "--max-time", "250", "--noproxy", "*", "-X", method, "-H", "content-type: application/json",
            "--data-binary", "@body", "http://127.0.0.1:\(try #require(note["consolePort"]?.integer))\(path)",
        ])
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.json
    }

    // MARK: The inbox

    /// Calls the inbox in a transaction, and waits until the service has judged the push.
    func enqueue(_ push: String, call: String) async throws -> Door.Answer {
        let inbox = try #require(inbox)
        let ended = try await mock.workspace.run(inbox.psql(call, push))
        guard ended.status == 0 else { return .refused(ended.errors) }
        let id = ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
        // The mover is slower than psql, and so is the machine at times. This is five minutes.
        for _ in 0..<15_000 {
            let found = try await service.curl("/v1/notifications/\(id)", key: key)
            if found["id"] != nil {
                guard let outcome = found["outcome"], outcome["kind"] == "not_sent" else { return .accepted }
                return .refused(outcome["detail"]?.string ?? "")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("The mover didn't take the row \(id).")
        return .refused("")
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
