// Which repairs are certain can be said only when all of a text has been read.

extension [JSONMistake] {
    /// The same mistakes, without the repairs that are a guess.
    ///
    /// Where the reading had to end, or where it is not certain where a text begins or ends, everything else may have been read
    /// wrongly, too: what looks like a comma, a comment or a quotation mark may be a part of a text. Then nothing is mended but
    /// what stands before everything.
    /// - Parameter isWhole: Whether all was read, or all but what is missing at the end.
    /// - Returns: The mistakes in the same order.
    func certain(isWhole: Bool) -> [JSONMistake] {
        guard !isWhole || contains(where: { $0.edits.isEmpty && $0.kind.isAboutBounds }) else { return self }
        return map { mistake in
            var mistake = mistake
            if mistake.kind != .byteOrderMark { mistake.edits = [] }
            return mistake
        }
    }
}

extension JSONMistake.Kind {
    /// Whether such a mistake, where it cannot be mended for certain, leaves open where a text begins or ends.
    fileprivate var isAboutBounds: Bool {
        switch self {
        case .singleQuotes, .curlyQuotes, .unquotedKey, .unquotedText, .unclosedText, .unescapedQuote, .comment,
            .missingComma:
            true
        case .empty, .byteOrderMark, .wideEncoding, .invalidUTF8, .quotedPayload, .missingBraces, .oddSpace,
            .extraComma, .missingColon,
            .missingValue, .missingBracket, .wrongBracket, .textAfterEnd, .controlCharacter, .badEscape, .wrongWord,
            .notANumber, .numberForm, .nesting, .notJSON:
            false
        }
    }
}
