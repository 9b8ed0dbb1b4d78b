import Foundation
import TestSupport
import Testing

/// The same value gets the same judgement at every door, in the same words.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct DoorTests {
    private static let parts = 3

    @Test(arguments: 0..<parts) func `every door accepts and refuses the same values`(part: Int) async throws {
        try await DoorGround.with { ground in
            for (index, value) in DoorValue.all.enumerated() where index % Self.parts == part {
                var accepted: [String: Bool] = [:]
                for door in Door.all where door.subjects.contains(value.subject) {
                    if ground.inbox == nil, door.place.hasPrefix(DoorInbox.place) { continue }
                    let name = "\(door.place) \(door.name)"
                    let answer = try await door.ask(ground, value)
                    switch (answer, value.expected) {
                    case (.accepted, .accepted): break
                    case (.refused(let text), .refused(let words)):
                        #expect(words.isEmpty || text.contains(words), "\(value) at \(name): \(text)")
                    case (.accepted, .asTheOthers): accepted[name] = true
                    case (.refused, .asTheOthers): accepted[name] = false
                    case (.accepted, .refused): Issue.record("\(value) is accepted by \(name)")
                    case (.refused(let text), .accepted): Issue.record("\(value) is refused by \(name): \(text)")
                    }
                }
                #expect(Set(accepted.values).count <= 1, "\(value): \(accepted)")
            }
        }
    }

    @Test func `a campaign with a mistake in each line stops with 65, and one with some goes on`() async throws {
        try await RunningMock.with { mock in
            let token = RunningMock.token
            let flags = ["-m", "Hi", "--mock", "--state", "mock", "--topic", RunningMock.topic, "--json"]
            try mock.workspace.write("token,expires\n\(token),3600\n\(token),300\n", to: "all.csv")
            let all = try await mock.workspace.pushsend(["batch", "all.csv"] + flags)
            #expect(all.status == 65 && all.json["invalid"] == 2 && all.json["accepted"] == 0, "\(all.errors)")
            #expect(all.errors.contains("None of the lines can be sent. The first: all.csv:2: "), "\(all.errors)")
            #expect(all.errors.contains("Did you mean 3600s?"), "\(all.errors)")
            let checked = try await mock.workspace.pushsend(["batch", "all.csv", "--dry-run"] + flags)
            #expect(checked.status == 65 && checked.json["invalid"] == 2, "\(checked.output)")
            try mock.workspace.write("token,expires\n\(token),3600\n\(token),1h\n", to: "some.csv")
            let some = try await mock.workspace.pushsend(["batch", "some.csv"] + flags)
            #expect(some.status == 0 && some.json["invalid"] == 1 && some.json["accepted"] == 1, "\(some.errors)")
            #expect(some.errors.contains("1 line can't be sent."), "\(some.errors)")
            let strict = try await mock.workspace.pushsend(
                ["batch", "some.csv", "--fail-on-rejected", "--restart"] + flags)
            #expect(strict.status == 1)
        }
    }

    @Test(arguments: [["--endpoint", "::1:33891"], ["--proxy", "::1:33891"]])
    func `an IPv6 address without brackets is asked for them`(flags: [String]) async throws {
        let workspace = try Workspace()
        let key = try await workspace.makeKey()
        let ended = try await workspace.pushsend(
            ["send", RunningMock.token, "-m", "Hi", "--key", key, "--team-id", Workspace.teamID]
                + ["--topic", RunningMock.topic] + flags)
        #expect(ended.status != 0, "\(ended.errors)")
        #expect(ended.errors.contains("brackets") && ended.errors.contains("[::1]:3"), "\(ended.errors)")
    }

    @Test func `a key file in any encoding is the same key at every door`() async throws {
        let workspace = try Workspace()
        let path = try await workspace.makeKey()
        let text = try String(contentsOf: workspace.folder.appending(path: path), encoding: .utf8)
        let windows = text.replacingOccurrences(of: "\n", with: "\r\n")
        let wide = windows.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let files: [(String, [UInt8])] = [
            ("plain", Array(text.utf8)), ("CR LF", Array(windows.utf8)), ("mark", [0xEF, 0xBB, 0xBF] + text.utf8),
            ("UTF-16", [0xFF, 0xFE] + wide), ("UTF-16 without mark", wide), ("empty", []),
        ]
        try workspace.write(
            """
            listen: 127.0.0.1:0
            database: queue.sqlite
            apps:
              shop:
                environment: {host: localhost, port: 1}
                key: {file: \(path), id: \(Workspace.keyID), team: \(Workspace.teamID)}
                topic: \(RunningMock.topic)
            """, to: "pushserve.yaml")
        for (name, bytes) in files {
            try Data(bytes).write(to: workspace.folder.appending(path: path))
            let status: Int32 = bytes.isEmpty ? 77 : 0
            let token = try await workspace.pushsend("jwt", "--key", path, "--team-id", Workspace.teamID)
            #expect(token.status == status, "\(name): \(token.errors)")
            let check = try await workspace.start(BuiltProgram.pushserve, ["check"]).end()
            #expect(check.status == status, "\(name): \(check.output)")
            let inspected = try await workspace.pushsend("inspect", path)
            #expect((inspected.status == 0) == !bytes.isEmpty, "\(name): \(inspected.errors)")
        }
    }

    // MARK: The places

    /// Options, arguments and members that take a push, a payload, a token or a time.
    private static let words: Set<String> = [
        "token", "tokens", "payload", "expires", "expires_at", "deliver_at", "starts_at", "registered_at", "ttl",
        "apns-id", "user", "channel", "device", "register", "unregistered", "thing", "since", "before", "due_before",
    ]

    /// Members of the mock's API that take one, or a list of them.
    private static let wordsOfMock: Set<String> = ["now", "by", "when", "devices"]

    @Test func `no place is left out`() async throws {
        let known = Set(Door.all.map(\.place)).union(Door.others.keys)
        try await DoorGround.with { ground in
            var places: Set<String> = []
            for program in [BuiltProgram.pushsend, BuiltProgram.pushserve] {
                let help = try await ground.mock.workspace.start(program, ["--experimental-dump-help"]).end().json
                places.formUnion(Self.commands(try #require(help["command"])))
            }
            let document = try await ground.service.curl("/v1/openapi.json", key: ground.key)
            places.formUnion(Self.operations(document, Self.words))
            let ofMock = try await ground.curlMock("GET", "/v1/openapi.json")
            places.formUnion(Self.operations(ofMock, Self.words.union(Self.wordsOfMock)).map { Door.mock + $0 })
            let install = ["inbox", "install", "--sql"]
            let sql = try await ground.mock.workspace.start(BuiltProgram.pushserve, install).end()
            places.formUnion(DoorInbox.places(in: sql.output))
            #expect(places.subtracting(known) == [], "the table of doors lacks them")
            #expect(known.subtracting(places) == [], "they do not exist")
        }
    }

    private static func commands(_ command: JSON, in path: String = "") -> Set<String> {
        let name = path + (command["commandName"]?.string ?? "")
        let names = (command["arguments"]?.elements ?? []).flatMap { argument -> [String] in
            let flags = argument["names"]?.elements ?? []
            return flags.isEmpty ? [argument["valueName"]?.string ?? ""] : flags.compactMap { $0["name"]?.string }
        }
        let own: Set<String> = words.isDisjoint(with: names) ? [] : [name]
        return (command["subcommands"]?.elements ?? []).reduce(own) { $0.union(commands($1, in: name + " ")) }
    }

    private static func operations(_ document: JSON, _ words: Set<String>) -> Set<String> {
        guard case .object(let paths)? = document["paths"] else { return [] }
        var found: Set<String> = []
        for (path, operations) in paths {
            for method in operations.keys where method != "parameters" {
                let content = operations[method]?["requestBody"]?["content"]
                let parameters = (operations[method]?["parameters"]?.elements ?? []).compactMap { $0["name"]?.string }
                var names = members(content ?? .null, document, []).union(parameters)
                if path.contains("{token}") { names.insert("token") }
                let takesLines =
                    content.map { !$0.keys.isDisjoint(with: ["application/x-ndjson", "text/csv"]) } ?? false
                if takesLines || !names.isDisjoint(with: words) { found.insert("\(method.uppercased()) \(path)") }
            }
        }
        return found
    }

    /// The names of all members in a schema, and in those that it refers to.
    private static func members(_ schema: JSON, _ document: JSON, _ seen: Set<String>) -> Set<String> {
        switch schema {
        case .object(let parts):
            var names = parts["properties"]?.keys ?? []
            if let name = parts["$ref"]?.string?.split(separator: "/").last.map({ String($0) }), !seen.contains(name) {
                let target = document["components"]?["schemas"]?[name] ?? .null
                names.formUnion(members(target, document, seen.union([name])))
            }
            return parts.values.reduce(names) { $0.union(members($1, document, seen)) }
        case .array(let elements): return elements.reduce([]) { $0.union(members($1, document, seen)) }
        default: return []
        }
    }
}
