import ArgumentParser
import PushCommandLine

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a rejection reason, a status, an exit code or a lint rule, and what to do about it.",
        discussion: """
            Example:
              pushsend explain BadDeviceToken

            Give a line that "pushsend send" has printed, or a word from it. Without an argument, the command lists all \
            words that it can explain.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Apple's reason, an HTTP status, an exit code, an outcome, a lint rule, or a topic such as nothing-arrived.",
            valueName: "word"),
        completion: .explainedTerms
    )
    var words: [String] = []

    @Flag(help: "Print a JSON object; without an argument, one for each word.")
    var json = false

    func run() throws {
        let text = words.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else { return list() }
        guard let explanation = Explanation.find(text) else {
            throw CommandFailure.usage(Explanation.unknown(text))
        }
        Output.print(json ? explanation.line.text : explanation.text)
    }

    private func list() {
        guard json else { return Output.print(Explanation.list) }
        for explanation in Explanation.all { Output.print(explanation.line.text) }
    }
}

extension CompletionKind {
    /// The words that `pushsend explain` can explain.
    static var explainedTerms: CompletionKind { .list(Explanation.all.map(\.term)) }
}
