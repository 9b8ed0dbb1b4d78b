extension Double {
    private static let rateUnits: [Substring: Double] = ["s": 1, "m": 60, "h": 3600]

    /// Reads a rate for each second, minute or hour: `500/s`, `30000/m`, `100000/h`; `nil` for any other text. The result is a number for
    /// each second. The number in the text is at most a billion.
    ///
    /// - Parameters:
    ///   - text: The text, without spaces. The number can contain underscores.
    ///   - needsUnit: Whether a number without a unit is refused. Otherwise it is for each second.
    package init?(rateText text: String, needsUnit: Bool = true) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 1 && !needsUnit),
            let unit = parts.count == 1 ? 1 : Self.rateUnits[parts[1]],
            let number = Double(plainDecimal: parts[0]), number > 0, number <= 1e9
        else { return nil }
        self = number / unit
    }
}
