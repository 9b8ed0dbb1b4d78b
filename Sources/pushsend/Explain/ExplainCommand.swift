import ArgumentParser

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says what a reason, a status, an exit code, a lint rule or another word means, and what to do.",
        discussion: """
            Example:
              pushsend explain BadDeviceToken

            The line that send has printed can be pasted as it is. Without a word it lists what can be explained.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Apple's reason, an HTTP status, an exit code, an outcome, a lint rule, or a topic such as nothing-arrived.",
            valueName: "word"),
        completion: .explainedWords
    )
    var words: [String] = []

    @Flag(help: "Print a JSON object; without a word, one for each that is known.")
    var json = false

    func run() throws {
        let text = words.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else { return list() }
        guard let explanation = Explanation.find(text) else {
            throw CommandFailure.usage(Explanation.unknown(text))
        }
        Output.say(json ? explanation.line.text : explanation.text)
    }

    private func list() {
        guard json else { return Output.say(Explanation.list) }
        for explanation in Explanation.all { Output.say(explanation.line.text) }
    }
}
