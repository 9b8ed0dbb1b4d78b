internal import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushProvider

/// Converts errors of argument-parser to messages of one line that say what to do.
extension CommandFailure {
    /// Creates a failure from an error in the command line; `nil` for a request such as `--help`.
    init?(parsing error: any Error, in arguments: [String]) {
        let code = Pushsend.exitCode(for: error)
        guard code == .validationFailure || code == .success else { return nil }
        // Also for a request: argument-parser finds -h in `-thread-id`, and would show the help.
        let suggest = CommandLineSuggestion.sentence(forFlag:of:)
        if let slip = CommandLineSlip(of: Pushsend.self, in: arguments, foreign: suggest) {
            self = .usage(slip.sentence)
            return
        }
        guard code == .validationFailure else { return nil }
        self = .usage(Self.text(ParsingMistake(error, of: Pushsend.self), arguments))
    }

    private static func text(_ found: ParsingMistake, _ arguments: [String]) -> String {
        let problem = found.text
        // The text of a key begins with hyphens, so argument-parser treats it as an option and would print all of it.
        if problem.contains("-----BEGIN") {
            let text = arguments.firstIndex { $0.contains("-----BEGIN") }
            let isOfKey = text.map { $0 > 0 && arguments[$0 - 1] == "--key" } ?? false
            return isOfKey ? KeySource.isTextProblem : KeyFile.isContentsProblem
        }
        if let sentence = payloadOfHouston(problem, arguments) { return found.with(sentence) }
        if let sentence = argumentAfterMock(problem, arguments) {
            return "\(sentence) See 'pushsend mock --help' for more information."
        }
        // As for curl and openssl: the text after -p is the passphrase.
        if repeatsPassphrase(problem) { return PassphraseOptions.refusal }
        if let sentence = OptionValue.negative(problem, arguments) { return sentence }
        if let refusal = OptionValue.refusal(problem) { return found.with(refusal) }
        if let (word, path, names) = SubcommandAdvice.unknown(before: problem, in: arguments, of: Pushsend.self),
            word.utf8.count < 16 || (try? DeviceToken(word)) == nil
        {
            return found.with(CommandLineSuggestion.sentence(forSubcommand: word, after: path, of: names))
        }
        if foreignFlag(found) == nil,
            let sentence = CommandLineSlip.unknownOption(in: problem, of: Pushsend.self, arguments)
        {
            return found.with(sentence)
        }
        return found.full(sentences(found))
    }

    /// What an unknown option of another tool means here; `nil` for any other option.
    private static func foreignFlag(_ problem: ParsingMistake) -> String? {
        CommandLineSuggestion.sentence(forFlag: problem.argument ?? "", of: problem.path.dropFirst().first)
    }

    /// Returns the problem with a suggestion; `nil` if there is none.
    private static func sentences(_ problem: ParsingMistake) -> [String]? {
        let argument = problem.argument ?? ""
        if problem.text.hasPrefix("Unknown option '"), let meant = foreignFlag(problem) {
            return ["Unknown option '\(argument)'.", meant]
        }
        let command = Array(problem.path.dropFirst())
        guard problem.text.contains("nexpected argument"),
            let names = SubcommandAdvice.names(of: Pushsend.self, command)
        else { return nil }
        return [CommandLineSuggestion.sentence(forSubcommand: argument, after: ["pushsend"] + command, of: names)]
    }

    /// Returns the message for an argument after `mock` that is not a subcommand. ArgumentParser gives it to `mock run`.
    private static func argumentAfterMock(_ problem: String, _ arguments: [String]) -> String? {
        guard problem.contains("nexpected argument"), arguments.first == "mock",
            arguments.dropFirst().first != "run",
            let argument = problem.split(separator: "'").dropFirst().first.map(String.init),
            let names = SubcommandAdvice.names(of: Pushsend.self, ["mock"])
        else { return nil }
        return names.contains(argument)
            ? "Options come after the subcommand: pushsend mock \(argument) [options]."
            : CommandLineSuggestion.sentence(forSubcommand: argument, after: ["pushsend", "mock"], of: names)
    }

    /// Returns the message for `-P '{"aps":…}'`, as houston has it.
    private static func payloadOfHouston(_ problem: String, _ arguments: [String]) -> String? {
        guard problem.hasPrefix("Unknown option '-P"), ["send", "batch", "channel"].contains(arguments.first) else {
            return nil
        }
        let isPayload = zip(arguments, arguments.dropFirst() + [""]).contains { word, next in
            word == "-P" && next.drop(while: \.isWhitespace).hasPrefix("{") || word.hasPrefix("-P{")
        }
        return isPayload ? "Unknown option '-P'. Did you mean --payload?" : nil
    }

    /// Whether the problem contains a passphrase, as in `-psecret` or `--p12-password secret`.
    private static func repeatsPassphrase(_ problem: String) -> Bool {
        // A long option with one hyphen is no passphrase.
        if let word = problem.firstMatch(of: /Unknown option '-([A-Za-z][A-Za-z0-9-]+)/)?.output.1,
            ["payload", "priority", "push-type", "port", "passphrase-file", "p12", "proxy", "phones"].contains(word)
        {
            return false
        }
        return ["'-p", "'-P", "password"].contains(where: problem.contains)
    }
}

extension CommandFailure {
    /// Runs a command. If it throws, prints the error or the requested help, and ends the process.
    static func ending(_ command: () async throws -> Void) async {
        do {
            try await command()
        } catch let failure as CommandFailure {
            failure.printAndExit()
        } catch let slip as CommandLineSlip {
            CommandFailure.usage(slip.sentence).printAndExit()
        } catch {
            CommandFailure(parsing: error, in: Array(CommandLine.arguments.dropFirst()))?.printAndExit()
            answer(error)
        }
    }

    /// Prints the requested output of `--help`, `--version` or a completion script, and ends the process.
    ///
    /// argument-parser prints through a buffer, and does not report a failed write.
    private static func answer(_ request: any Error) -> Never {
        guard Pushsend.exitCode(for: request) == .success else { CommandFailure.from(request).printAndExit() }
        var text = Pushsend.fullMessage(for: request)
        if text == Pushsend.helpMessage() { text = HelpText.adding("EXIT CODES", Explanation.exitCodeRows, to: text) }
        if !text.isEmpty { Output.print(CompletionScript.mended(HelpText.fitted(text))) }
        Output.exit(.success)
    }
}
