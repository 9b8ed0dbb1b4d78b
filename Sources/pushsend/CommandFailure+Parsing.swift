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
        let lines = Pushsend.fullMessage(for: error).split(separator: "\n")
        let problem = Pushsend.message(for: error)
        // The text of a key begins with hyphens, so argument-parser treats it as an option and would print all of it.
        if problem.contains("-----BEGIN") {
            let text = arguments.firstIndex { $0.contains("-----BEGIN") }
            let isOfKey = text.map { $0 > 0 && arguments[$0 - 1] == "--key" } ?? false
            self = .usage(isOfKey ? KeySource.isTextProblem : KeyFile.isContentsProblem)
            return
        }
        let more = lines.last { $0.hasPrefix("  See ") }.map { String($0.dropFirst(2)) }
        if let sentence = Self.payloadOfHouston(problem, arguments) {
            self = .usage([sentence, more].compactMap(\.self).joined(separator: " "))
            return
        }
        if let sentence = Self.argumentAfterMock(problem, arguments) {
            self = .usage("\(sentence) See 'pushsend mock --help' for more information.")
            return
        }
        // As for curl and openssl: the text after -p is the passphrase.
        if Self.repeatsPassphrase(problem) {
            self = .usage(PassphraseOptions.refusal)
            return
        }
        if let sentence = Self.negativeValue(problem, arguments) {
            self = .usage(sentence)
            return
        }
        if let refusal = OptionValue.refusal(problem) {
            self = .usage([refusal, more].compactMap(\.self).joined(separator: " "))
            return
        }
        if Self.foreignFlag(problem, more) == nil,
            let sentence = CommandLineSlip.unknownOption(in: problem, of: Pushsend.self, arguments)
        {
            self = .usage([sentence, more].compactMap(\.self).joined(separator: " "))
            return
        }
        // "Help:  --timeout <duration>  How long each push may take."
        let help = lines.first { $0.hasPrefix("Help:  ") }?.dropFirst("Help:  ".count)
        let explanation = help?.firstRange(of: "  ").map { String(help?[$0.upperBound...] ?? "") }
        let sentences = Self.sentences(problem, in: Self.command(in: more)) + [explanation, more].compactMap(\.self)
        self = .usage(sentences.joined(separator: " "))
    }

    /// The first word in quotation marks.
    private static func argument(in problem: String) -> String {
        let parts = problem.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        return parts.count > 1 ? parts[1] : ""
    }

    /// What an unknown option of another tool means here; `nil` for any other option.
    private static func foreignFlag(_ problem: String, _ more: String?) -> String? {
        CommandLineSuggestion.sentence(forFlag: argument(in: problem), of: command(in: more).first)
    }

    /// Returns the problem, and a suggestion if there is one.
    private static func sentences(_ problem: String, in command: [String]) -> [String] {
        let argument = Self.argument(in: problem)
        if problem.hasPrefix("Unknown option '"),
            let meant = CommandLineSuggestion.sentence(forFlag: argument, of: command.first)
        {
            return ["Unknown option '\(argument)'.", meant]
        }
        if problem.contains("nexpected argument"), let names = SubcommandAdvice.names(of: Pushsend.self, command) {
            return [
                CommandLineSuggestion.sentence(forSubcommand: argument, after: ["pushsend"] + command, of: names)
            ]
        }
        return [problem.hasSuffix(".") || problem.hasSuffix("?") ? problem : problem + "."]
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

    /// Returns the message for a negative value, such as `--badge -1`, which argument-parser treats as an option.
    private static func negativeValue(_ problem: String, _ arguments: [String]) -> String? {
        guard problem.hasPrefix("Missing value for '"), let end = problem.dropFirst(19).firstIndex(of: "'") else {
            return nil
        }
        let flag = problem.dropFirst(19)[..<end].split(separator: " ").first.map(String.init) ?? ""
        guard let index = arguments.lastIndex(of: flag), index + 1 < arguments.count, arguments[index + 1].first == "-",
            arguments[index + 1].dropFirst().first?.isNumber == true
        else { return nil }
        return
            "\(flag) cannot be \"\(String(arguments[index + 1].prefix(40)).printable)\": the value must not be negative."
    }

    /// Returns `mock ready` from "See 'pushsend mock ready --help' for more information."
    private static func command(in more: String?) -> [String] {
        let words = more?.split(separator: "'").dropFirst().first?.split(separator: " ").map(String.init) ?? []
        return words.dropFirst().filter { !$0.hasPrefix("-") }
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
