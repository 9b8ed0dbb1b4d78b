import Foundation
import PushLint
import PushProvider

/// Measures how long the lint takes for a payload, and how long Foundation takes to read the same bytes.
///
/// Prints the mean time of one of COUNT repetitions in nanoseconds.
@main
struct LintLoad {
    static let use = "use: LintLoad lint|foundation SIZE COUNT"

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let size = Int(arguments[1]), let count = Int(arguments[2]), count > 0 else {
            return print(use)
        }
        let payload = payload(bytes: size)
        let duration =
            switch arguments[0] {
            case "lint": lint(payload, count)
            case "foundation": try read(payload, count)
            default: Duration.zero
            }
        print("nanoseconds each: \(Int(duration / .nanoseconds(count)))")
    }

    private static func lint(_ payload: [UInt8], _ count: Int) -> Duration {
        let context = LintContext(
            topic: "com.example.app", pushType: .alert, now: Date(timeIntervalSince1970: 1_800_000_000))
        var found = 0
        let duration = ContinuousClock().measure {
            for _ in 0..<count { found += PayloadLint.findings(in: payload, context).count }
        }
        precondition(found == 0, "the payload is fine")
        return duration
    }

    private static func read(_ payload: [UInt8], _ count: Int) throws -> Duration {
        let data = Data(payload)
        var read = 0
        let duration = try ContinuousClock().measure {
            for _ in 0..<count {
                if try JSONSerialization.jsonObject(with: data) is [String: Any] { read += 1 }
            }
        }
        precondition(read == count, "it is an object each time")
        return duration
    }

    /// A typical alert. Custom keys fill it up to the size: texts, numbers, and objects in a list.
    private static func payload(bytes size: Int) -> [UInt8] {
        let alert = """
            {"aps":{"alert":{"title":"Order 42","subtitle":"On its way","body":"It will be with you before noon."},"badge":1,\
            "sound":"default","thread-id":"orders","category":"ORDER","mutable-content":1},"order":42,"items":[
            """
        var text = alert.trimmingCharacters(in: .newlines)
        var number = 0
        while text.utf8.count < size - 100 {
            number += 1
            text +=
                (number > 1 ? "," : "")
                + "{\"id\":\(number),\"name\":\"Tea, Earl Grey, \(number) g\",\"price\":4.5,\"gift\":false}"
        }
        text += "],\"note\":\""
        text += String(repeating: "x", count: max(0, size - text.utf8.count - 2)) + "\"}"
        return Array(text.utf8)
    }
}
