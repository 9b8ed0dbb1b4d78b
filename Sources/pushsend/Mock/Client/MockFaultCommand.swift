import ArgumentParser
import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform

struct MockFaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Inject faults into the running mock, list them, or remove them.",
        discussion: """
            Example:
              pushsend mock fault '{"steps": [{"answer": {"status": 503}}], "times": 2}'
              pushsend mock fault --list
              pushsend mock fault --clear

            Injecting prints the numbers of the faults, one a line. All faults:
            \(Documentation.address(of: "docs/mock-api.md#failure-injection"))
            """
    )

    @Argument(
        help: ArgumentHelp("A fault as JSON, or a file with one or more, in JSON or YAML.", valueName: "file|json"),
        completion: .file())
    var faults: [String] = []

    @Flag(help: "List the faults, and how often each has acted.")
    var list = false

    @Option(help: ArgumentHelp("Remove the fault with this number. Repeatable.", valueName: "number"))
    var remove: [Int] = []

    @Flag(help: "Remove all faults.")
    var clear = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var target: ConsoleTarget

    func validate() throws {
        if let word = faults.first, let meant = Self.flags[word], FileKind(path: word) == nil {
            throw ValidationError("\"\(word)\" isn't a fault. Did you mean pushsend mock fault \(meant)?")
        }
        if faults.isEmpty, !list, remove.isEmpty, !clear {
            throw ValidationError("Give a fault, --list, --remove NUMBER or --clear.")
        }
    }

    /// What words mean that would be subcommands.
    private static let flags = [
        "list": "--list", "ls": "--list", "show": "--list", "clear": "--clear", "reset": "--clear", "stop": "--clear",
        "remove": "--remove NUMBER", "rm": "--remove NUMBER", "delete": "--remove NUMBER", "add": "'{\"steps\": ...}'",
        "inject": "'{\"steps\": ...}'",
    ]

    func run() async throws {
        let client = try target.client()
        if clear { _ = try await client.demand("DELETE", "/faults") }
        for number in remove { _ = try await client.demand("DELETE", "/faults/\(number)") }
        for fault in try faults.flatMap({ try FaultArgument.read($0, of: "the fault") }) {
            let answer = try await client.demand("POST", "/faults", body: Array(fault.json.utf8))
            guard case .array(let ids)? = answer.json?["ids"] else { continue }
            for case .integer(let id) in ids { Output.print(json ? "{\"id\":\(id)}" : String(id)) }
        }
        if list { try await show(client) }
    }

    private func show(_ client: ConsoleClient) async throws {
        guard case .array(let items)? = try await client.demand("GET", "/faults").json?["items"] else { return }
        for item in items {
            if json {
                Output.print(PushLine.json(item))
                continue
            }
            guard case .integer(let id)? = item["id"], case .integer(let applied)? = item["applied"],
                case .string(let name)? = item["name"], case .bool(let isActive)? = item["is_active"]
            else { continue }
            let label = name.isEmpty ? "" : "  \(name)"
            Output.print("\(id)  \(isActive ? "active" : "over")  acted \(counted(applied, "time"))\(label)")
        }
        if items.isEmpty, !json { Output.note("There are no faults.") }
    }
}
