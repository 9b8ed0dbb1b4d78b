package import PushPlatform

/// A bounded record of the pushes. Of old pushes, only the outcome is kept.
struct PushRecords: Sendable {
    /// The maximum number of records. Beyond it, the oldest is dropped.
    private let maximum: Int
    /// The maximum number of records with timeline and card.
    private let maximumWhole: Int
    /// The maximum number of steps in a timeline. Further ones are not noted.
    private static let maximumStages = 50

    private var records: [Int: PushRecord] = [:]
    /// The numbers of all records, oldest first.
    private var order: [Int] = []
    /// How many of ``order`` are dropped.
    private var first = 0
    /// How many of ``order`` have lost their timeline, from ``first`` on.
    private var firstWhole = 0
    private(set) var counts: [PhoneOutcome.Kind: Int] = [:]
    /// Pushes until this number, and those below, were removed from the log, and do not count.
    private var uncountedThrough = 0
    private var uncounted: Set<Int> = []

    init(maximum: Int, maximumWhole: Int) {
        self.maximum = max(1, maximum)
        self.maximumWhole = max(1, maximumWhole)
    }

    subscript(push: Int) -> PushRecord? { records[push] }

    /// Adds what happened to a push.
    ///
    /// - Parameters:
    ///   - report: What happened.
    ///   - phone: The phone.
    ///   - isNew: Whether the push has just arrived. An old one without a record is left out.
    /// - Returns: Whether an outcome that was known before is another one now.
    mutating func add(_ report: PushReport, phone: String?, isNew: Bool) -> Bool {
        let before = records[report.push]
        guard before != nil || isNew else { return false }
        var record = before ?? PushRecord(phone: phone, outcome: PhoneOutcome(.hidden, "Not shown"))
        if record.phone == nil { record.phone = phone }
        let space = Self.maximumStages - record.timeline.count
        // The seconds of a service extension are virtual, so the next step can seem to be earlier.
        let last = record.timeline.last?.at ?? .distantPast
        record.timeline += report.stages.prefix(max(0, space)).map { stage in
            var stage = stage
            stage.at = max(stage.at, last)
            return stage
        }
        if let outcome = report.outcome { record.outcome = outcome }
        if let card = report.card { record.card = card }
        if report.push > uncountedThrough, !uncounted.contains(report.push) {
            if let before { counts[before.outcome.kind, default: 1] -= 1 }
            counts[record.outcome.kind, default: 0] += 1
        }
        records[report.push] = record
        if before == nil { note(report.push) }
        return before.map { $0.outcome != record.outcome } ?? false
    }

    private mutating func note(_ push: Int) {
        order.append(push)
        while order.count - firstWhole > maximumWhole {
            records[order[firstWhole]]?.timeline = []
            records[order[firstWhole]]?.card = nil
            firstWhole += 1
        }
        while order.count - first > maximum {
            records[order[first]] = nil
            uncounted.remove(order[first])
            first += 1
        }
        firstWhole = max(firstWhole, first)
        guard first > 4096, first > order.count / 2 else { return }
        order.removeFirst(first)
        firstWhole -= first
        first = 0
    }

    /// Counts only pushes after this one from now on. The records stay.
    mutating func countAnew(after push: Int) {
        (counts, uncountedThrough, uncounted) = ([:], push, [])
    }

    /// Counts a push no longer. Its record stays.
    mutating func uncount(_ push: Int) {
        guard push > uncountedThrough, uncounted.insert(push).inserted else { return }
        if let record = records[push] { counts[record.outcome.kind, default: 1] -= 1 }
        // Most others never get a record: APNs has rejected them.
        if uncounted.count > 2 * maximum { uncounted = uncounted.filter { records[$0] != nil } }
    }

    /// How many numbers of uncounted pushes it keeps.
    var uncountedCount: Int { uncounted.count }

    mutating func removeAll() {
        self = PushRecords(maximum: maximum, maximumWhole: maximumWhole)
    }
}

/// How many pushes arrived lately, in short spans of time.
package struct PushTally: Sendable {
    package struct Span: Sendable, Hashable {
        package var all = 0
        package var rejected = 0
    }

    /// The length of a span, in seconds.
    package static let spanLength = 7.5
    package static let spanCount = 40

    /// The spans by their number since 1970. Only the newest are kept.
    private var spans: [Int: Span] = [:]

    mutating func add(_ count: Int = 1, rejected: Int = 0, at time: Date) {
        let number = Self.number(of: time)
        spans[number, default: Span()].all += count
        spans[number, default: Span()].rejected += rejected
        guard spans.count > 2 * Self.spanCount else { return }
        spans = spans.filter { abs($0.key - number) <= Self.spanCount }
    }

    /// The spans until now, oldest first.
    package func spans(until now: Date) -> [Span] {
        let last = Self.number(of: now)
        return ((last - Self.spanCount + 1)...last).map { spans[$0] ?? Span() }
    }

    private static func number(of time: Date) -> Int { Int((time.timeIntervalSince1970 / spanLength).rounded(.down)) }
}
