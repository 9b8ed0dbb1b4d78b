/// Writes figures as Prometheus reads them.
struct PrometheusText {
    private(set) var text = ""

    /// Begins a metric.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Writes a value of a metric.
    mutating func value(_ name: String, _ labels: [(String, String)], _ value: String) {
        let labels = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// Writes a whole number of a metric.
    mutating func value(_ name: String, _ labels: [(String, String)] = [], _ number: Int) {
        value(name, labels, String(number))
    }

    /// Writes a histogram.
    mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: LatencyHistogram) {
        var sum = 0
        for (index, count) in histogram.counts.enumerated() {
            sum += count
            let limit = index < LatencyHistogram.limits.count ? "\(LatencyHistogram.limits[index])" : "+Inf"
            value("\(name)_bucket", labels + [("le", limit)], sum)
        }
        value("\(name)_sum", labels, "\(histogram.sum)")
        value("\(name)_count", labels, sum)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
