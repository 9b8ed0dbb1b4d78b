import Histogram
internal import PushCampaign
import PushPlatform
import PushProvider

/// The counts of a running campaign, for the progress line and the final report. The memory use does not depend on the
/// number of lines.
struct CampaignFigures: Sendable {
    /// The counts of the outcomes so far.
    private(set) var summary = BatchSummary()
    /// The time from a request to its answer, in microseconds.
    private var latency = Histogram<UInt64>(
        highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: .three)
    private(set) var course = RateCourse()
    /// The first line that cannot be sent.
    private(set) var firstInvalid: BatchCheck.Mistake?

    init(_ summary: BatchSummary = BatchSummary()) {
        self.summary = summary
    }

    mutating func add(_ results: [BatchResult], _ summary: BatchSummary) {
        self.summary = summary
        for result in results {
            if firstInvalid == nil, case .invalid(let message) = result.outcome {
                firstInvalid = BatchCheck.Mistake(file: result.file, line: result.line, message: message)
            }
            guard let time = result.outcome.answerTime else { continue }
            let microseconds = max(0, time / .microseconds(1))
            latency.record(UInt64(min(microseconds, 3.6e9)))
        }
    }

    mutating func record(after seconds: Double) {
        course.add(summary.concluded, after: seconds)
    }

    mutating func end(_ summary: BatchSummary, after seconds: Double) {
        self.summary = summary
        course.end(summary.concluded, after: seconds)
    }

    // MARK: Latency

    struct Percentile: Equatable, Sendable {
        /// For example `50` or `99.9`.
        var name: String
        var milliseconds: Double
    }

    /// The percentiles of the latency; empty if there were no answers.
    var percentiles: [Percentile] {
        guard latency.totalCount > 0 else { return [] }
        return Self.percents.map(percentile)
    }

    /// The percentiles that differ from 100 % with this number of answers.
    var usefulPercentiles: [Percentile] {
        latency.totalCount > 0 ? Self.percents(forAnswers: Int(latency.totalCount)).map(percentile) : []
    }

    /// Returns the percentiles that are useful for a number of answers. With 50 answers, 99 % would be the same as 100
    /// %.
    static func percents(forAnswers count: Int) -> [(name: String, percent: Double)] {
        percents.filter { $0.percent == 100 || Double(count) * (100 - $0.percent) >= 99.999 }
    }

    private static let percents: [(name: String, percent: Double)] = [
        ("50", 50), ("90", 90), ("99", 99), ("99.9", 99.9), ("100", 100),
    ]

    private func percentile(_ name: String, _ percent: Double) -> Percentile {
        Percentile(name: name, milliseconds: Double(latency.valueAtPercentile(percent)) / 1000)
    }
}

extension BatchSummary {
    /// The number of lines with a result, sent or not. The reasons are of these lines.
    var resultCount: Int { concluded + released }
}

extension BatchResult.Outcome {
    /// The time from the request to the answer; `nil` if there was no answer.
    fileprivate var answerTime: Duration? {
        switch self {
        case .push(.accepted(let acceptance)): acceptance.trace.inFlight
        case .push(.rejected(let rejection)): rejection.trace.inFlight
        case .push, .invalid, .duplicate, .interrupted: nil
        }
    }
}

/// The number of concluded lines over time: at most a few hundred points. Their distance grows with the duration.
struct RateCourse: Equatable, Sendable {
    struct Point: Equatable, Sendable {
        var seconds: Double
        var count: Int
    }

    private(set) var points: [Point] = [Point(seconds: 0, count: 0)]
    private var step = 0.25
    /// The maximum number of points. Beyond it, every second point is dropped and the step doubles.
    private static let maximum = 400

    mutating func add(_ count: Int, after seconds: Double) {
        guard let last = points.last, seconds - last.seconds >= step else { return }
        points.append(Point(seconds: seconds, count: count))
        guard points.count > Self.maximum else { return }
        step *= 2
        points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    }

    /// Adds the end. It replaces a last point shortly before it, because a rate over a very short time has no meaning.
    mutating func end(_ count: Int, after seconds: Double) {
        if points.count > 1, seconds - points[points.count - 1].seconds < step / 2 { points.removeLast() }
        points.append(Point(seconds: seconds, count: count))
    }

    /// Lines per second, each with the end of its interval. Points are grouped so that each group has several lines.
    /// With two lines per second, for example, half of the points would show no line, and the others twice as many.
    var rates: [(seconds: Double, perSecond: Double)] {
        guard points.count > 1, let last = points.last else { return [] }
        let maximum = max(2, min(Self.maximumRates, last.count / Self.linesForRate))
        let group = (points.count - 1 + maximum - 1) / maximum
        let ends = points.enumerated().filter { $0.offset.isMultiple(of: group) || $0.offset == points.count - 1 }
            .map(\.element)
        return zip(ends, ends.dropFirst()).map { before, after in
            (after.seconds, Double(after.count - before.count) / max(after.seconds - before.seconds, 0.001))
        }
    }

    /// The maximum number of rates. With more points, neighbours are combined.
    private static let maximumRates = 150
    /// The average number of lines that a rate needs. With fewer lines, there are fewer rates.
    private static let linesForRate = 20

    /// The lines per second in about the last seconds.
    func rate(ofLast seconds: Double) -> Double {
        guard let last = points.last,
            let first = points.last(where: { last.seconds - $0.seconds >= seconds }) ?? points.first,
            first.seconds < last.seconds
        else { return 0 }
        return Double(last.count - first.count) / (last.seconds - first.seconds)
    }
}

struct ProcessUsage: Equatable, Sendable {
    var cpuSeconds: Double
    /// The peak memory in bytes.
    var peakMemory: Int

    static var now: ProcessUsage {
        let usage = systemUsage()
        #if canImport(Darwin)
            let peak = Int(usage.ru_maxrss)
        #else
            // On Linux, ru_maxrss is at least what the parent process used when it started this one.
            let peak = ownPeakMemory ?? Int(usage.ru_maxrss) * 1024
        #endif
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), peakMemory: peak)
    }

    /// The peak memory since this program started, from `VmHWM:     12345 kB` in Linux's `/proc`; `nil` without it.
    static var ownPeakMemory: Int? {
        guard let file = fopen("/proc/self/status", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
