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
}
