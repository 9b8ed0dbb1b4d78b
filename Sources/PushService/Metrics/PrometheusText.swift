struct PrometheusText {
    private(set) var text = ""

    private var name = ""

    /// Begins a metric. The values that follow are its own.
    mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - labels: The labels.
    ///   - value: The value.
    ///   - suffix: The end of the name, for a part of a histogram.
    mutating func value(_ labels: [(String, String)], _ value: String, suffix: String = "") {
        let labels = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += labels.isEmpty ? "\(name)\(suffix) \(value)\n" : "\(name)\(suffix){\(labels)} \(value)\n"
    }

    mutating func value(_ labels: [(String, String)] = [], _ number: Int, suffix: String = "") {
        value(labels, String(number), suffix: suffix)
    }

    mutating func values(ofApps numbers: [String: Int]) {
        for (app, number) in numbers.sorted(by: { $0.key < $1.key }) { value([("app", app)], number) }
    }

    mutating func histogram(_ labels: [(String, String)], _ histogram: LatencyHistogram) {
        var sum = 0
        for (index, count) in histogram.counts.enumerated() {
            sum += count
            let limit = index < LatencyHistogram.limits.count ? "\(LatencyHistogram.limits[index])" : "+Inf"
            value(labels + [("le", limit)], sum, suffix: "_bucket")
        }
        value(labels, "\(histogram.sum)", suffix: "_sum")
        value(labels, sum, suffix: "_count")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
