// The whole text must be read before it is known which repairs are certain.

extension [JSONMistake] {
    /// Returns the same mistakes without uncertain repairs.
    ///
    /// If the reading stopped early, or if it is uncertain where a string begins or ends, the rest may have been read
    /// incorrectly: a comma, a comment or a quotation mark may be part of a string. Then only a byte order mark at the
    /// beginning is repaired.
    /// - Parameter isWhole: Whether the whole text was read; closing brackets at the end may be missing.
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
    /// Whether a mistake of this kind, if its repair is uncertain, makes it uncertain where a string begins or ends.
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
