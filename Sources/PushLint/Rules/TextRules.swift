internal import PushJSON
internal import PushProvider

/// Rules about the text of a payload: whether it is JSON. `JSONReader` finds the mistakes.
enum TextRules {
    static let rules: [LintRule] = JSONMistake.Kind.allCases.map { kind in
        let (title, explanation, remedy) = texts(of: kind)
        return LintRule(
            kind.rawValue, .error, aliases: kind == .extraComma ? ["L15"] : [], title: title,
            explanation: explanation, remedy: remedy, source: RuleSource.json, check: .text)
    }

    private static func texts(of kind: JSONMistake.Kind) -> (title: String, explanation: String, remedy: String) {
        encoding(kind) ?? punctuation(kind) ?? texts(kind) ?? values(kind)
    }

    // MARK: The whole

    private static func encoding(_ kind: JSONMistake.Kind) -> (String, String, String)? {
        switch kind {
        case .empty:
            (
                "A payload is not empty", "APNs answers PayloadEmpty to a request without a body.",
                "Send an object, for example {\"aps\":{\"alert\":\"Hello\"}}."
            )
        case .byteOrderMark:
            (
                "A payload has no byte order mark",
                "JSON in a request must not begin with U+FEFF (RFC 8259 section 8.1). Some editors on Windows add it.",
                "Save the file as UTF-8 without byte order mark."
            )
        case .wideEncoding:
            (
                "A payload is UTF-8, not UTF-16",
                "JSON in a request is UTF-8 (RFC 8259 section 8.1). PowerShell writes UTF-16 for the operator >.",
                "Save the file as UTF-8."
            )
        case .invalidUTF8:
            (
                "A payload is valid UTF-8",
                "An invalid byte usually comes from a file in Windows-1252 or Latin-1.",
                "Save the file as UTF-8."
            )
        case .quotedPayload:
            (
                "A payload is an object, not a string that contains one",
                "The quoting in a shell is wrong, or a program encoded the JSON twice.",
                "Send the object itself."
            )
        case .missingBraces:
            (
                "A payload is enclosed in braces",
                "Web pages often show only the line with \"aps\". A payload also needs the object around it.",
                "Add { at the beginning and } at the end."
            )
        case .nesting:
            (
                "A payload has at most 128 levels of nesting",
                "Deeper nesting can crash a parser, and no app needs it.", "Use fewer levels."
            )
        case .notJSON:
            (
                "A payload is JSON", "The text isn't valid JSON, and it isn't certain how to correct it.",
                "Check the text at this position and before it."
            )
        default: nil
        }
    }

    // MARK: Between values

    private static func punctuation(_ kind: JSONMistake.Kind) -> (String, String, String)? {
        switch kind {
        case .comment: ("JSON has no comments", "JSON allows no //, no /* */ and no # comments.", "Remove them.")
        case .oddSpace:
            (
                "Only ordinary spaces are between values",
                "A no-break space or a zero-width character is invisible, but JSON doesn't allow it. It comes from web pages and word processors.",
                "Replace it with an ordinary space."
            )
        case .extraComma:
            (
                "There is no comma after the last value",
                "JavaScript allows it, and an example in Apple's documentation of widgets has one. JSON doesn't allow it.",
                "Remove it."
            )
        case .missingComma:
            ("Values are separated by commas", "A comma is missing, or there is a semicolon instead.", "Add a comma.")
        case .missingColon:
            ("Key and value are separated by a colon", "It is missing, or there is = or => instead.", "Add a colon.")
        case .missingValue:
            (
                "Every key has a value", "The value of a key is missing.",
                "Add a value, or remove the key."
            )
        case .missingBracket:
            (
                "Every bracket is closed",
                "The text ends before the bracket is closed. Often more than one position for it is possible.",
                "Add it at the end, or at the correct position."
            )
        case .wrongBracket:
            ("Brackets match: [ and ], { and }", "The brackets are mixed up.", "Close the last open bracket first.")
        case .textAfterEnd:
            (
                "There is nothing after the payload",
                "A payload is one object. A second object, or an extra bracket, makes it invalid.", "Remove it."
            )
        default: nil
        }
    }

    // MARK: Texts

    private static func texts(_ kind: JSONMistake.Kind) -> (String, String, String)? {
        switch kind {
        case .unquotedKey:
            (
                "Keys are in quotation marks",
                "JavaScript allows keys without them, JSON doesn't. If all of them are missing, a shell removed them.",
                "Write \"key\". In a shell, put the whole payload into single quotes."
            )
        case .unquotedText:
            ("Strings are in quotation marks", "JSON has no strings without them.", "Put it in quotation marks.")
        case .singleQuotes:
            (
                "Quotation marks are \", not '", "Python and JavaScript print single quotation marks.",
                "Write \". In Python, use json.dumps, not str."
            )
        case .curlyQuotes:
            (
                "Quotation marks are straight",
                "Editors and chat programs replace them with “curly” ones.",
                "Write \", and turn off smart quotes in the editor."
            )
        case .unclosedText:
            (
                "Every string has a closing quotation mark", "The string continues to the end of the line.",
                "Add one at the end of the string."
            )
        case .unescapedQuote:
            (
                "A quotation mark in a string is written \\\"",
                "Without the backslash it ends the string.", "Write \\\", or use other marks, such as “ and ”."
            )
        case .controlCharacter:
            (
                "Line breaks and control characters in strings are escaped",
                "A string in JSON is on one line.", "Write \\n for a line break and \\t for a tab."
            )
        case .badEscape:
            (
                "Every escape is one that JSON defines",
                "JSON defines \\\" \\\\ \\/ \\b \\f \\n \\r \\t, and \\u with four hex digits. A character above U+FFFF needs two \\u escapes.",
                "Write \\\\ for a backslash, and other characters without escapes."
            )
        default: nil
        }
    }

    // MARK: Other values

    private static func values(_ kind: JSONMistake.Kind) -> (String, String, String) {
        switch kind {
        case .wrongWord:
            (
                "JSON has the literals true, false and null",
                "Python has True and None, other languages have nil and undefined.", "Write them in lower case."
            )
        case .notANumber:
            (
                "Numbers are finite", "JSON has no NaN, no Infinity, and no numbers beyond 1e308.",
                "Use a number, or remove the key."
            )
        default:
            (
                "Numbers are decimal, without plus sign and leading zeros",
                "JSON doesn't allow +1, .5, 0x1F, 007 or 1_000.", "Write 1, 0.5, 31, 7, 1000."
            )
        }
    }
}
