import APNSVocabulary
import MockAPNs
internal import PushJSON
import PushProvider

/// The keys of a search.
enum ArrivalSearchKeys {
    static let all = MockArrivalSearch.Key.allCases.map(\.rawValue)
}

/// A request in the log of the mock, as the API describes it, on one line.
enum PushLine {
    static func json(_ push: PushJSONValue) -> String {
        String(decoding: PeerText.printableJSON(push.encoded), as: UTF8.self)
    }

    static func text(_ push: PushJSONValue) -> String {
        func text(_ name: String) -> String? {
            switch push[name] {
            case .string(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        }
        let time = text("time").map { $0.split(separator: "T").last?.prefix(8) ?? "" } ?? ""
        let status = text("status").map { $0 == "0" ? "---" : $0 } ?? "---"
        let parts = [
            "\(text("number") ?? "")", String(time), status, text("reason") ?? (status == "200" ? "accepted" : ""),
            text("push_type") ?? "no push type", text("topic") ?? "no topic",
            DeviceToken.shortened(text("token") ?? ""), String((text("payload") ?? "").prefix(80)),
        ]
        return PeerText.printable(parts.joined(separator: "  "))
    }
}
