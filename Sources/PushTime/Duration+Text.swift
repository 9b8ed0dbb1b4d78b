internal import PushPlatform

extension Duration {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Reads a number and its unit: `500ms`, `30s`, `1.5m`, `2h`, `7d`; `nil` for any other text. The number is below a billion.
    ///
    /// - Parameters:
    ///   - text: The text, without spaces. The number can contain underscores: `1_000ms`.
    ///   - signed: Whether a minus sign may come first.
    ///   - isWhole: Whether the number must consist of digits only.
    package init?(unitText text: String, signed: Bool = false, isWhole: Bool = false) {
        if isWhole, text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }) { return nil }
        // Most lines of a campaign have a number without a unit, and comparing suffixes is slow.
        guard let last = text.utf8.last, "smhd".utf8.contains(last) else { return nil }
        let isNegative = signed && text.hasPrefix("-")
        let rest = text.dropFirst(isNegative ? 1 : 0)
        guard let unit = Self.units.first(where: { rest.hasSuffix($0.suffix) }),
            let number = Double(plainDecimal: rest.dropLast(unit.suffix.count)), number < 1e9
        else { return nil }
        self = .milliseconds(Int64(number * Double(unit.milliseconds)) * (isNegative ? -1 : 1))
    }

    /// What a number without its unit was probably meant as, in a sentence; `nil` for any other text.
    package static func advice(forBare number: String, isWhole: Bool = false) -> String? {
        let text = "\(number)s"
        guard let duration = Duration(unitText: text, isWhole: isWhole), duration > .zero else { return nil }
        return "For seconds, write \"\(text)\"."
    }

    /// The duration as a whole number and its largest exact unit, in the form that ``init(unitText:signed:isWhole:)`` reads. Less than a
    /// millisecond is left out.
    package var unitText: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let unit = Self.units.last { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? Self.units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }

    /// About how long it is, in words and without a sign: `3 days`, `2 hours`, `40 minutes`, `1 second`.
    package var approximateText: String {
        let seconds = components.seconds.magnitude
        let (amount, unit) =
            switch seconds {
            case 172_800...: (seconds / 86_400, "day")
            case 7_200...: (seconds / 3_600, "hour")
            case 120...: (seconds / 60, "minute")
            default: (seconds, "second")
            }
        return counted(amount, unit)
    }
}

extension Double {
    /// Reads digits with at most one decimal point and any number of underscores: no sign, no exponent, no `inf`.
    package init?(plainDecimal text: Substring) {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.isASCIIDigit || $0 == 0x2E || $0 == 0x5F }) else {
            return nil
        }
        self.init(text.filter { $0 != "_" })
    }

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
