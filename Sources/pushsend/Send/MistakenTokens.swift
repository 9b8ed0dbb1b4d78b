internal import APNSVocabulary
import PushCommandLine
import PushProvider

/// Detects arguments that are not device tokens: files, tokens in pieces, or words of a text.
enum MistakenTokens {
    /// - Parameters:
    ///   - tokens: The arguments.
    ///   - texts: The texts that are given too. If one lost its quotation marks, its words become arguments.
    ///   - settings: The settings, whose devices have nicknames.
    ///   - arguments: The words of the command line.
    /// - Throws: ``CommandFailure`` with what was probably meant.
    static func refuse(
        _ tokens: [String], texts: [String], _ settings: Settings, arguments: [String] = CommandLine.arguments
    ) throws {
        for token in tokens {
            if let problem = fileProblem(token) ?? severalTokensProblem(token) { throw CommandFailure.usage(problem) }
        }
        guard tokens.count > 1 else { return }
        let digits = tokens.joined()
        // A token without its brackets and quotation marks: the description of NSData had groups of eight digits.
        if digits.utf8.count == wholeLength, isHex(digits), tokens.allSatisfy({ $0.utf8.count == 8 }) {
            throw CommandFailure.usage(
                "These \(tokens.count) words look like one device token with spaces: put it in quotation marks.")
        }
        guard !texts.isEmpty, let word = wordOfText(tokens) else { return }
        let quotationMarks = "A text with spaces needs quotation marks, as in -m \"Hello World\"."
        guard let unknown = settings.unknownDevice(word) else {
            throw CommandFailure.usage(
                "\"\(String(word.prefix(40)).printable)\" isn't a device token. \(quotationMarks)")
        }
        throw CommandFailure.usage(
            follows(word, texts, tokens, in: arguments) ? "\(unknown) \(quotationMarks)" : unknown)
    }

    /// Whether a word stands right after a text, or only other words stand between.
    private static func follows(_ word: String, _ texts: [String], _ tokens: [String], in arguments: [String]) -> Bool {
        guard let index = arguments.firstIndex(of: word),
            let before = arguments[..<index].last(where: { !tokens.contains($0) })
        else { return false }
        return texts.contains { before == $0 || before.hasSuffix("=\($0)") }
    }

    /// The number of digits of a device token today.
    private static let wholeLength = 64
    /// The minimum length of a token beside a token of full length. Shorter hex is a word such as "cafe".
    private static let shortestBesideWhole = 16

    private static func isHex(_ text: some StringProtocol) -> Bool {
        text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static func fileProblem(_ token: String) -> String? {
        let flags = [(".p8", "--key"), (".p12", "--p12"), (".pfx", "--p12"), (".pem", "--cert")]
        if let (_, flag) = flags.first(where: { token.hasSuffix($0.0) }) {
            return "\(token.printable) is a file for signing: give it with \(flag) FILE."
        }
        guard (try? PastedDeviceToken(token)) == nil, FileKind(path: token) == .file else { return nil }
        return """
            "\(token.printable)" is a file. For a list of device tokens use: pushsend batch \(ShellWord.quoted(token)). For a payload \
            use --payload.
            """
    }

    /// Detects several tokens in one argument. Brackets and spaces are removed from a token, but this must not join two
    /// tokens.
    private static func severalTokensProblem(_ token: String) -> String? {
        let parts = token.split(whereSeparator: { $0.isWhitespace || $0 == "," })
        guard parts.count > 1, parts.allSatisfy({ $0.utf8.count >= wholeLength && isHex($0) }) else { return nil }
        return "This argument contains \(parts.count) device tokens: give each one as its own argument."
    }

    /// Returns the first word after the first token that cannot be a device token.
    private static func wordOfText(_ tokens: [String]) -> String? {
        guard let first = try? PastedDeviceToken(tokens[0]) else { return nil }
        let isWhole = first.token.hex.utf8.count >= wholeLength
        return tokens.dropFirst().first { word in
            // A mistyped token has digits too. It is refused as a token.
            guard (try? PastedDeviceToken(word)) != nil else { return !word.contains { $0.isNumber } }
            return isWhole && word.utf8.count < shortestBesideWhole
        }
    }
}
