import PushProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONText {
    /// The text that a JSON string stands for; empty when it is none.
    static func string(_ literal: some Sequence<UInt8>) -> String {
        (try? JSONDecoder().decode(String.self, from: Data(literal))) ?? ""
    }

    /// The whole as a value; `nil` when it is not JSON.
    static func value(_ bytes: some Sequence<UInt8>) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }
}
