internal import PushJSON
internal import PushProvider

/// Rules about the text itself: whether it is JSON. The reader finds what breaks them.
enum TextRules {
    static let rules: [LintRule] = JSONMistake.Kind.allCases.map { kind in
        let (title, explanation, remedy) = words(of: kind)
        return LintRule(
            kind.rawValue, .error, aliases: kind == .extraComma ? ["L15"] : [], title: title,
            explanation: explanation, remedy: remedy, source: RuleSource.json, check: .text)
    }

    private static func words(of kind: JSONMistake.Kind) -> (title: String, explanation: String, remedy: String) {
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
                "JSON on a wire must not begin with U+FEFF (RFC 8259 section 8.1). Editors on Windows put it there.",
                "Save the file as UTF-8 without a mark."
            )
        case .wideEncoding:
            (
                "A payload is UTF-8, not UTF-16",
                "JSON that is exchanged is UTF-8 (RFC 8259 section 8.1). PowerShell writes UTF-16 when > is used.",
                "Save the file as UTF-8."
            )
        case .invalidUTF8:
            (
                "Every byte of a payload belongs to a character of UTF-8",
                "A byte that belongs to no character mostly comes from a file in Windows-1252 or Latin-1.",
                "Save the file as UTF-8."
            )
        case .quotedPayload:
            (
                "A payload is an object, not a text that holds one",
                "A shell's quoting went wrong, or a program has encoded what was JSON already.",
                "Give the object itself."
            )
        case .missingBraces:
            (
                "A payload stands in braces",
                "Pages often print the line with \"aps\" alone; the object around it belongs to the payload too.",
                "Put { before it and } behind it."
            )
        case .nesting:
            (
                "A payload nests no deeper than 128 levels",
                "No app needs it, and readers that follow every level can be brought down by it.", "Nest less."
            )
        case .notJSON:
            (
                "A payload is JSON", "The text cannot be read as JSON, and what was meant is not certain.",
                "Look at the place, and at what stands before it."
            )
        default: nil
        }
    }

    // MARK: Between values

    private static func punctuation(_ kind: JSONMistake.Kind) -> (String, String, String)? {
        switch kind {
        case .comment: ("JSON has no comments", "Neither // nor /* */ nor # means anything in JSON.", "Remove them.")
        case .oddSpace:
            (
                "Between values stand ordinary spaces only",
                "A no-break space or a character without width looks like nothing and is no space to JSON. It comes from web pages and word processors.",
                "Replace it by an ordinary space."
            )
        case .extraComma:
            (
                "No comma stands behind the last value",
                "JavaScript lets it pass, and even an example in Apple's documentation of widgets has one. JSON does not.",
                "Remove it."
            )
        case .missingComma:
            ("Values are separated by commas", "One is missing, or a semicolon stands there.", "Put a comma there.")
        case .missingColon:
            ("A colon stands between key and value", "It is missing, or = or => stands there.", "Put a colon there.")
        case .missingValue:
            (
                "Every key has a value", "Key and colon are there, and the value is not.",
                "Give it a value, or remove the key."
            )
        case .missingBracket:
            (
                "Every bracket is closed",
                "The text ends before that. Where the bracket belongs is certain only when nothing else can be meant.",
                "Add it at the end, or where it belongs."
            )
        case .wrongBracket:
            ("What [ opened ] closes, what { opened } closes", "They are mixed up.", "Close what was opened last.")
        case .textAfterEnd:
            (
                "Nothing stands behind the payload",
                "A payload is one object. A second one, or a bracket too many, makes it something else.", "Remove it."
            )
        default: nil
        }
    }

    // MARK: Texts

    private static func texts(_ kind: JSONMistake.Kind) -> (String, String, String)? {
        switch kind {
        case .unquotedKey:
            (
                "Keys stand in quotation marks",
                "JavaScript lets them go without, JSON does not. When all of them are gone, a shell has eaten them.",
                "Write \"key\". In a shell, put the whole payload into single quotes."
            )
        case .unquotedText:
            ("Texts stand in quotation marks", "A text without them is no value.", "Put it between quotation marks.")
        case .singleQuotes:
            (
                "Quotation marks are \", not '", "Python and JavaScript print them so.",
                "Write \". Python: json.dumps, not str."
            )
        case .curlyQuotes:
            (
                "Quotation marks are straight",
                "Editors and chat programs make “curly” ones of them.",
                "Write \", and switch smart quotes off in the editor."
            )
        case .unclosedText:
            (
                "Every text has a closing quotation mark", "The text goes on to the end of the line.",
                "Put one where the text ends."
            )
        case .unescapedQuote:
            (
                "A quotation mark in a text is written \\\"",
                "Without the backslash it ends the text.", "Write \\\" for it, or use another mark, such as “ and ”."
            )
        case .controlCharacter:
            (
                "Line breaks and control characters in texts are escaped",
                "A text in JSON stands on one line.", "Write \\n for a line break and \\t for a tab."
            )
        case .badEscape:
            (
                "A backslash is followed by an escape that exists",
                "These exist: \\\" \\\\ \\/ \\b \\f \\n \\r \\t, and \\u with four hex digits; a character outside of the first 65536 takes two of the last.",
                "Write \\\\ for a backslash, and characters as they are."
            )
        default: nil
        }
    }

    // MARK: Other values

    private static func values(_ kind: JSONMistake.Kind) -> (String, String, String) {
        switch kind {
        case .wrongWord:
            (
                "The words of JSON are true, false and null",
                "Python has True and None, others have nil and undefined.", "Write them in small letters."
            )
        case .notANumber:
            (
                "Numbers are finite", "NaN and Infinity, and numbers beyond 1e308, have no form in JSON.",
                "Use a number, or leave the key out."
            )
        default:
            (
                "Numbers are decimal, without a plus and without zeros in front",
                "JSON has neither +1 nor .5 nor 0x1F nor 007 nor 1_000.", "Write 1, 0.5, 31, 7, 1000."
            )
        }
    }
}
