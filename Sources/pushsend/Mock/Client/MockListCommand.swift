import ArgumentParser
import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform

struct MockListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the requests that arrived at the running mock.",
        discussion: """
            Example:
              pushsend mock list 'topic:com.example.app -status:200'

            A search is a list of terms; all must match. A term is key:value, or a word in the payload; a minus sign \
            negates it. \(MockSearchHelp.keys)
            """
    )

    @Argument(help: ArgumentHelp("The search. Several arguments are joined with spaces.", valueName: "search"))
    var search: [String] = []

    @Option(
        help: ArgumentHelp("The maximum number of requests to list, from the newest.", valueName: "n"))
    var limit = 100

    @Flag(help: "Print only how many match.")
    var count = false

    @Flag(help: "Print JSON lines.")
    var json = false

    @OptionGroup var target: ConsoleTarget

    func validate() throws {
        if !(1...1000).contains(limit) { throw ValidationError("--limit must be from 1 to 1000.") }
    }

    func run() async throws {
        let client = try target.client()
        let query = PercentEncoding.encoded(try MockSearchHelp.query(search))
        if count {
            let answer = try await client.demand("GET", "/pushes/count?q=\(query)")
            guard case .integer(let count)? = answer.json?["count"] else { return }
            return Output.print(String(count))
        }
        let answer = try await client.demand("GET", "/pushes?order=newest&limit=\(limit)&q=\(query)")
        guard case .array(let items)? = answer.json?["items"] else { return }
        for item in items.reversed() { Output.print(json ? PushLine.json(item) : PushLine.text(item)) }
        if items.isEmpty, !json { Output.note("No request matches.") }
    }
}

/// What the commands of the mock say about searches, and how they read them.
enum MockSearchHelp {
    /// The search of arguments. After `token:`, a nickname of a profile means its device token.
    static func query(_ arguments: [String]) throws -> String {
        let terms = arguments.flatMap { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
        return try terms.map { term in
            for key in ["token:", "-token:"] where term.hasPrefix(key) {
                return key + (try Settings.defaultToken(String(term.dropFirst(key.count))))
            }
            return term
        }.joined(separator: " ")
    }

    static let keys = """
        Keys: \(MockArrivalSearch.Key.allCases.map(\.rawValue).joined(separator: ", ")). What they mean:
        \(Documentation.address(of: "docs/mock-api.md"))
        """
}
