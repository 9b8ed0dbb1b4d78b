/// Lines a second over time, as a drawing. What is written beside it is text of the page, so that it is as large on a telephone as
/// on a desk; the drawing alone is stretched.
struct RateChart {
    /// Until when, in seconds since it began, and how many a second since the one before.
    var rates: [(seconds: Double, perSecond: Double)]

    /// In units of the drawing.
    private static let size = (width: 1000.0, height: 100.0)

    var html: String {
        guard rates.count > 1, let last = rates.last?.seconds, let peak = rates.map(\.perSecond).max(), peak > 0
        else { return "" }
        let top = Self.roundedUp(peak)
        let up = [top, top / 2, 0].map { "<span>\(Self.words($0))</span>" }
        let across = [0, last / 2, last].map { "<span>\($0 > 0 ? CampaignTable.duration($0) : "0")</span>" }
        let words = """
            Lines a second over \(CampaignTable.duration(last)): at the beginning \(Self.words(rates[0].perSecond)), at the most \
            \(Self.words(peak)), at the end \(Self.words(rates[rates.count - 1].perSecond)).
            """
        let course = course(last, top)
        return """
            <h2>Lines a second</h2>
            <div class="plot">
            <div class="up" aria-hidden="true">\(up.joined())</div>
            <svg viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" preserveAspectRatio="none" role="img" \
            aria-label="\(words)">
            <path d="M0 0H1000M0 50H1000M0 100H1000"/>
            <path class="under" d="M0 100V\(course)V100Z"/>
            <path class="course" d="M0 \(course)"/>
            </svg>
            <div class="across" aria-hidden="true">\(across.joined())</div>
            </div>
            """
    }

    /// Level from one point to the next: nobody knows what was between.
    private func course(_ last: Double, _ top: Double) -> String {
        rates.enumerated().map { place, rate in
            let y = CampaignTable.tenths(Self.size.height * (1 - rate.perSecond / top))
            let x = CampaignTable.tenths(Self.size.width * rate.seconds / last)
            return "\(place > 0 ? "V" : "")\(y)H\(x)"
        }.joined()
    }

    // MARK: The axis

    /// To one digit: where an axis ends.
    static func roundedUp(_ number: Double) -> Double {
        var unit = 0.1
        while unit * 10 <= number { unit *= 10 }
        return max(0.1, (number / unit).rounded(.up) * unit)
    }

    /// Whole where it is, and what is small with one digit behind the point.
    static func words(_ number: Double) -> String {
        let isWhole = number >= 10 || number.rounded() == number
        return isWhole ? CampaignReport.grouped(Int(number.rounded())) : CampaignTable.tenths(number)
    }
}
