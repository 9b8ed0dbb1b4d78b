import NIOConcurrencyHelpers

/// Collects warnings.
final class Warnings: Sendable {
    private let texts = NIOLockedValueBox([String]())

    var all: [String] { texts.withLockedValue { $0 } }

    func add(_ text: String) { texts.withLockedValue { $0.append(text) } }
}
