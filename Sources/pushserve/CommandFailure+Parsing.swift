import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushTime

extension CommandFailure {
    /// Returns a failure of one line for an error in the command line; `nil` for a request such as `--help`.
    static func ofParsing(_ error: any Error, in arguments: [String]) -> CommandFailure? {
        let code = Pushserve.exitCode(for: error)
        guard code == .validationFailure || code == .success else { return nil }
        // Also for a request: argument-parser finds -h in `-hash`, and would show the help.
        if let slip = CommandLineSlip(of: Pushserve.self, in: arguments) { return .usage(slip.sentence) }
        guard code == .validationFailure else { return nil }
        let problem = ParsingMistake(error, of: Pushserve.self)
        // "The value 'x' is invalid for '<id>': " and what the command says about it.
        if problem.text.hasPrefix("The value '"), let end = problem.text.firstRange(of: ">': ") {
            return .usage(problem.with(String(problem.text[end.upperBound...])))
        }
        if let sentence = OptionValue.negative(problem.text, arguments) { return .usage(sentence) }
        let isDuration = problem.text.contains("<duration>'")
        let refusal = OptionValue.refusal(problem.text, forms: forms) { _, value in
            guard isDuration else { return nil }
            let isNone = Duration(unitText: value).map { $0 <= .zero } ?? false
            return isNone ? "It must be longer than 0." : Duration.advice(forBare: value)
        }
        if let refusal { return .usage(problem.with(refusal)) }
        let sentence =
            SubcommandAdvice.unknown(before: problem.text, in: arguments, of: Pushserve.self).map {
                SubcommandAdvice.sentence(for: $0.word, after: $0.path, of: $0.names, others: otherNames)
            } ?? unknownSubcommand(problem)
            ?? CommandLineSlip.unknownOption(in: problem.text, of: Pushserve.self, arguments)
            ?? CommandLineSlip.unknownOption(of: Pushserve.self, in: arguments)
        if problem.text.contains(/nexpected argument '(postgres|\S+\.sqlite)/), sentence == nil {
            return .usage(problem.full([problem.text + ".", "Write --database before a file or an address."]))
        }
        if problem.path.last == "run", problem.text.contains(/'--(port|listen|host|address)'/) {
            let place = "The address is \"listen\" in the configuration, or the variable PUSHSERVE_LISTEN."
            return .usage(problem.full([problem.text + ".", place]))
        }
        return .usage(sentence.map(problem.with) ?? problem.full())
    }

    /// The description of each kind of value, by its name in the help.
    private static let forms = [
        "number": "a whole number", "duration": "a number with its unit, such as 30m or 2h",
    ]

    /// Returns the sentence about a word where a subcommand belongs: "Unexpected argument 'x'", or "2 unexpected arguments: 'x', 'y'".
    private static func unknownSubcommand(_ problem: ParsingMistake) -> String? {
        guard problem.text.contains("nexpected argument"), let word = problem.argument, !word.isEmpty,
            let names = SubcommandAdvice.names(of: Pushserve.self, problem.path.dropFirst())
        else { return nil }
        return SubcommandAdvice.sentence(for: word, after: problem.path, of: names, others: otherNames)
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
