import Foundation
import Metrics

// README: factory
/// Keeps metrics, and shows them as the text that Prometheus reads.
final class PrometheusFactory: MetricsFactory, Sendable {
    private let board = Board()

    /// Version 0.0.4 of the format.
    var text: String { board.text }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Series(label, dimensions, kind: "counter", on: board)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Series(label, dimensions, kind: aggregate ? "summary" : "gauge", on: board)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Series(label, dimensions, kind: "summary", on: board)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
// README: end

/// All values, by name and labels. One lock: enough for some thousand notifications a second.
// The compiler cannot check this, because it does not know what the lock guards: all mutable state is used only
// under `lock`.
private final class Board: @unchecked Sendable {
    private var values: [String: [String: Double]] = [:]
    private var kinds: [String: String] = [:]
    private let lock = NSLock()

    func announce(_ name: String, _ labels: String, kind: String) {
        lock.withLock {
            kinds[name] = kind
            // A counter that was never counted is there, and zero.
            if kind == "counter" { values[name, default: [:]][labels, default: 0] += 0 }
        }
    }

    func add(_ value: Double, to name: String, _ labels: String) {
        lock.withLock { values[name, default: [:]][labels, default: 0] += value }
    }

    func set(_ value: Double, _ name: String, _ labels: String) {
        lock.withLock { values[name, default: [:]][labels] = value }
    }

    var text: String {
        lock.withLock {
            values.keys.sorted().map { name in
                let type = kinds[name].map { "# TYPE \(name) \($0)\n" } ?? ""
                let lines = (values[name] ?? [:]).sorted { $0.key < $1.key }.map {
                    "\(name)\($0.key) \(Self.number($0.value))\n"
                }
                return type + lines.joined()
            }.joined()
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }
}

/// One name with its labels.
private final class Series: CounterHandler, RecorderHandler, TimerHandler, Sendable {
    private let name: String
    private let labels: String
    private let kind: String
    private let board: Board

    init(_ name: String, _ dimensions: [(String, String)], kind: String, on board: Board) {
        let pairs = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }
        (self.name, self.kind, self.board) = (name, kind, board)
        labels = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        board.announce(name, labels, kind: kind)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }

    func increment(by amount: Int64) { board.add(Double(amount), to: name, labels) }
    func reset() { board.set(0, name, labels) }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

    func record(_ value: Double) {
        guard kind == "summary" else { return board.set(value, name, labels) }
        board.add(value, to: name + "_sum", labels)
        board.add(1, to: name + "_count", labels)
    }
}
