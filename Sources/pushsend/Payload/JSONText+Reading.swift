import PushPlatform

extension JSONText {
    /// Decodes a JSON string; empty if it is not one.
    static func string(_ literal: some Sequence<UInt8>) -> String {
        (try? JSONDecoder().decode(String.self, from: Data(literal))) ?? ""
    }
}
