import APNSVocabulary
import ArgumentParser
import PushCommandLine

extension CommandFailure {
    /// Creates a failure of one line from an error in the command line; `nil` for a request such as `--help`.
    init?(parsing error: any Error, in arguments: [String]) {
        let code = Pushserve.exitCode(for: error)
        guard code == .validationFailure || code == .success else { return nil }
        // Also for a request: argument-parser finds -h in `-hash`, and would show the help.
        if let slip = CommandLineSlip(of: Pushserve.self, in: arguments) {
            self = .usage(slip.sentence)
            return
        }
        guard code == .validationFailure else { return nil }
        let lines = Pushserve.fullMessage(for: error).split(separator: "\n")
        let problem = Pushserve.message(for: error)
        let more = lines.last { $0.hasPrefix("  See ") }.map { String($0.dropFirst(2)) }
        // "The value 'x' is invalid for '<id>': " and what the command says about it.
        if problem.hasPrefix("The value '"), let end = problem.firstRange(of: ">': ") {
            self = .usage([String(problem[end.upperBound...]), more].compactMap(\.self).joined(separator: " "))
            return
        }
        if let sentence = Self.unknownSubcommand(problem, more) {
            self = .usage([sentence, more].compactMap(\.self).joined(separator: " "))
            return
        }
        let unknown =
            CommandLineSlip.unknownOption(in: problem, of: Pushserve.self, arguments)
            ?? CommandLineSlip.unknownOption(of: Pushserve.self, in: arguments)
        if let sentence = unknown {
            self = .usage([sentence, more].compactMap(\.self).joined(separator: " "))
            return
        }
        // "Help:  --ttl <duration>  When the new jobs expire."
        let help = lines.first { $0.hasPrefix("Help:  ") }?.dropFirst("Help:  ".count)
        let explanation = help?.firstRange(of: "  ").map { String(help?[$0.upperBound...] ?? "") }
        var sentence = problem.hasSuffix(".") || problem.hasSuffix("?") ? problem : problem + "."
        if problem.contains(/nexpected argument '(postgres|\S+\.sqlite)/) {
            sentence += " Write --database before a file or an address."
        }
        self = .usage([sentence, explanation, more].compactMap(\.self).joined(separator: " "))
    }
    /// Returns the sentence about a word where a subcommand belongs: "Unexpected argument 'x'", or "2 unexpected arguments: 'x', 'y'".
    private static func unknownSubcommand(_ problem: String, _ more: String?) -> String? {
        guard problem.contains("nexpected argument"), let word = problem.split(separator: "'").dropFirst().first else {
            return nil
        }
        // "See 'pushserve queue --help' for more information."
        let named = more?.split(separator: "'").dropFirst().first?.split(separator: " ").map(String.init) ?? []
        let path = named.filter { !$0.hasPrefix("-") }
        guard let names = SubcommandAdvice.names(of: Pushserve.self, path.dropFirst()) else { return nil }
        return SubcommandAdvice.sentence(for: String(word), after: path, of: names, others: otherNames)
    }

    /// Words of other tools, and what they may mean.
    static let otherNames = [
        "start": ["run"], "serve": ["run"], "up": ["run"], "test": ["check"], "validate": ["check"], "lint": ["check"],
        "keys": ["key"], "token": ["key"], "jobs": ["queue"], "stats": ["queue stats"], "list": ["queue list"],
        "status": ["stats", "queue stats"], "count": ["stats"], "ls": ["list"], "dead": ["list --dead"],
        "get": ["show"], "info": ["show"], "redrive": ["retry"], "resend": ["retry"], "erase": ["purge"],
        "rm": ["cancel", "revoke"], "delete": ["cancel", "revoke"], "remove": ["cancel", "revoke"],
        "migrate": ["export", "queue export"], "move": ["export", "queue export"], "add": ["create", "grant"],
        "new": ["create"], "setup": ["install"], "init": ["install"], "allow": ["grant"],
    ]
}
