/// A chart of lines per second over time. Its labels are text of the page, so that their size is the same on all
/// screens. Only the drawing is scaled.
struct RateChart {
    /// The end of each interval in seconds since the start, and the lines per second in it.
    var rates: [(seconds: Double, perSecond: Double)]

    /// The size in units of the drawing.
    private static let size = (width: 1000.0, height: 100.0)

    var html: String {
        guard rates.count > 1, let last = rates.last?.seconds, let peak = rates.map(\.perSecond).max(), peak > 0
        else { return "" }
        let top = Self.roundedUp(peak)
        let up = [top, top / 2, 0].map { "<span>\(Self.text($0))</span>" }
        let across = [0, last / 2, last].map { "<span>\($0 > 0 ? CampaignTable.duration($0) : "0")</span>" }
        let label = """
            Lines per second over \(CampaignTable.duration(last)): at the beginning \(Self.text(rates[0].perSecond)), at most \
            \(Self.text(peak)), at the end \(Self.text(rates[rates.count - 1].perSecond)).
            """
        let course = course(last, top)
        return """
            <h2>Lines per second</h2>
            <div class="plot">
            <div class="up" aria-hidden="true">\(up.joined())</div>
            <svg viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" preserveAspectRatio="none" role="img" \
            aria-label="\(label)">
            <path d="M0 0H1000M0 50H1000M0 100H1000"/>
            <path class="under" d="M0 100V\(course)V100Z"/>
            <path class="course" d="M0 \(course)"/>
            </svg>
            <div class="across" aria-hidden="true">\(across.joined())</div>
            </div>
            """
    }

    /// The line of the chart. It is flat within each interval, because only the average is known.
    private func course(_ last: Double, _ top: Double) -> String {
        rates.enumerated().map { index, rate in
            let y = CampaignTable.tenths(Self.size.height * (1 - rate.perSecond / top))
            let x = CampaignTable.tenths(Self.size.width * rate.seconds / last)
            return "\(index > 0 ? "V" : "")\(y)H\(x)"
        }.joined()
    }

    // MARK: The axis

    /// Rounds up to one digit, for the end of an axis.
    static func roundedUp(_ number: Double) -> Double {
        var unit = 0.1
        while unit * 10 <= number { unit *= 10 }
        return max(0.1, (number / unit).rounded(.up) * unit)
    }

    /// Formats a number: without decimals if it is whole, and small numbers with one decimal.
    static func text(_ number: Double) -> String {
        let isWhole = number >= 10 || number.rounded() == number
        return isWhole ? CampaignReport.grouped(Int(number.rounded())) : CampaignTable.tenths(number)
    }
}
