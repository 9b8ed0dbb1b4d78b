internal import PushJSON
internal import PushProvider

/// Rules about the text of a payload: whether it is JSON. `JSONReader` finds the mistakes.
enum TextRules {
    static let rules: [LintRule] = [
        // The whole
        rule(
            .empty, "A payload is not empty", "APNs answers PayloadEmpty to a request without a body.",
            "Send an object, for example {\"aps\":{\"alert\":\"Hello\"}}."),
        rule(
            .byteOrderMark, "A payload has no byte order mark",
            "JSON in a request must not begin with U+FEFF (RFC 8259 section 8.1). Some editors on Windows add it.",
            "Save the file as UTF-8 without byte order mark."),
        rule(
            .wideEncoding, "A payload is UTF-8, not UTF-16",
            "JSON in a request is UTF-8 (RFC 8259 section 8.1). PowerShell writes UTF-16 for the operator >.",
            "Save the file as UTF-8."),
        rule(
            .invalidUTF8, "A payload is valid UTF-8",
            "An invalid byte usually comes from a file in Windows-1252 or Latin-1.", "Save the file as UTF-8."),
        rule(
            .quotedPayload, "A payload is an object, not a string that contains one",
            "The quoting in a shell is wrong, or a program encoded the JSON twice.", "Send the object itself."),
        rule(
            .missingBraces, "A payload is enclosed in braces",
            "Web pages often show only the line with \"aps\". A payload also needs the object around it.",
            "Add { at the beginning and } at the end."),

        // Between values
        rule(.comment, "JSON has no comments", "JSON allows no //, no /* */ and no # comments.", "Remove them."),
        rule(
            .oddSpace, "Only ordinary spaces are between values",
            "A no-break space or a zero-width character is invisible, but JSON doesn't allow it. It comes from web pages and word processors.",
            "Replace it with an ordinary space."),
        rule(
            .extraComma, "There is no comma after the last value",
            "JavaScript allows it, and an example in Apple's documentation of widgets has one. JSON doesn't allow it.",
            "Remove it."),
        rule(
            .missingComma, "Values are separated by commas", "A comma is missing, or there is a semicolon instead.",
            "Add a comma."),
        rule(
            .missingColon, "Key and value are separated by a colon", "It is missing, or there is = or => instead.",
            "Add a colon."),
        rule(
            .missingValue, "Every key has a value", "The value of a key is missing.",
            "Add a value, or remove the key."),
        rule(
            .missingBracket, "Every bracket is closed",
            "The text ends before the bracket is closed. Often more than one position for it is possible.",
            "Add it at the end, or at the correct position."),
        rule(
            .wrongBracket, "Brackets match: [ and ], { and }", "The brackets are mixed up.",
            "Close the last open bracket first."),
        rule(
            .textAfterEnd, "There is nothing after the payload",
            "A payload is one object. A second object, or an extra bracket, makes it invalid.", "Remove it."),

        // Texts
        rule(
            .unquotedKey, "Keys are in quotation marks",
            "JavaScript allows keys without them, JSON doesn't. If all of them are missing, a shell removed them.",
            "Write \"key\". In a shell, put the whole payload into single quotes."),
        rule(
            .unquotedText, "Strings are in quotation marks", "JSON has no strings without them.",
            "Put it in quotation marks."),
        rule(
            .singleQuotes, "Quotation marks are \", not '", "Python and JavaScript print single quotation marks.",
            "Write \". In Python, use json.dumps, not str."),
        rule(
            .curlyQuotes, "Quotation marks are straight", "Editors and chat programs replace them with “curly” ones.",
            "Write \", and turn off smart quotes in the editor."),
        rule(
            .unclosedText, "Every string has a closing quotation mark", "The string continues to the end of the line.",
            "Add one at the end of the string."),
        rule(
            .unescapedQuote, "A quotation mark in a string is written \\\"",
            "Without the backslash it ends the string.", "Write \\\", or use other marks, such as “ and ”."),
        rule(
            .controlCharacter, "Line breaks and control characters in strings are escaped",
            "A string in JSON is on one line.", "Write \\n for a line break and \\t for a tab."),
        rule(
            .badEscape, "Every escape is one that JSON defines",
            "JSON defines \\\" \\\\ \\/ \\b \\f \\n \\r \\t, and \\u with four hex digits. A character above U+FFFF needs two \\u escapes.",
            "Write \\\\ for a backslash, and other characters without escapes."),

        // Other values
        rule(
            .wrongWord, "JSON has the literals true, false and null",
            "Python has True and None, other languages have nil and undefined.", "Write them in lower case."),
        rule(
            .notANumber, "Numbers are finite", "JSON has no NaN, no Infinity, and no numbers beyond 1e308.",
            "Use a number, or remove the key."),
        rule(
            .numberForm, "Numbers are decimal, without plus sign and leading zeros",
            "JSON doesn't allow +1, .5, 0x1F, 007 or 1_000.", "Write 1, 0.5, 31, 7, 1000."),

        // The whole, after its values
        rule(
            .nesting, "A payload has at most 128 levels of nesting",
            "Deeper nesting can crash a parser, and no app needs it.", "Use fewer levels."),
        rule(
            .notJSON, "A payload is JSON", "The text isn't valid JSON, and it isn't certain how to correct it.",
            "Check the text at this position and before it."),
    ]

    private static func rule(
        _ kind: JSONMistake.Kind, _ title: String, _ explanation: String, _ remedy: String
    ) -> LintRule {
        LintRule(
            kind.rawValue, .error, aliases: kind == .extraComma ? ["L15"] : [], title: title,
            explanation: explanation, remedy: remedy, source: RuleSource.json, check: .elsewhere)
    }
}
