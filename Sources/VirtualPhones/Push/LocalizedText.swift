import PushJSON

/// A text that the device looks up in the tables of the app.
enum LocalizedText {
    /// Fills a format: `%@` takes the next argument, `%2$@` the second one, and `%%` is a percent sign.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - arguments: The arguments. A missing one stays empty.
    /// - Returns: The text.
    static func filled(_ format: String, _ arguments: [String]) -> String {
        var text = ""
        var next = 0
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if let (index, length) = specifier(rest) {
                let argument = index ?? next
                if index == nil { next += 1 }
                if arguments.indices.contains(argument) { text += arguments[argument] }
                rest = rest.dropFirst(length)
            } else {
                text += "%"
            }
        }
        return text + rest
    }

    /// The argument that a format specifier after `%` names, and the length of the specifier; `nil` if this is no specifier.
    private static func specifier(_ rest: Substring) -> (index: Int?, length: Int)? {
        if rest.first == "@" { return (nil, 1) }
        let digits = rest.prefix { ("0"..."9").contains($0) }.prefix(3)
        guard let number = Int(digits), number > 0, rest.dropFirst(digits.count).hasPrefix("$@") else { return nil }
        return (number - 1, digits.count + 2)
    }
}

extension LocatedJSON {
    /// The texts of a list, for the arguments of a format.
    var texts: [String] { items.map { $0.plainText ?? "" } }
}
