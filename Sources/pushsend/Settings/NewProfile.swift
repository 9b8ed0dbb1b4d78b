/// A profile to be written to a configuration file.
struct NewProfile: Equatable {
    var name: String
    var settings: [SettingName: String] = [:]
    var devices: [(nickname: String, token: String)] = []

    static func == (left: NewProfile, right: NewProfile) -> Bool {
        left.name == right.name && left.settings == right.settings
            && left.devices.elementsEqual(right.devices) { $0 == $1 }
    }

    /// The lines of YAML.
    ///
    /// - Parameter indent: The number of spaces before the name.
    /// - Returns: A line with the name, and one for each setting and device.
    func lines(indent: Int) -> [String] {
        let step = "  "
        let margin = String(repeating: " ", count: indent)
        var lines = ["\(margin)\(Self.scalar(name)):"]
        for setting in SettingName.allCases {
            guard let value = settings[setting] else { continue }
            lines.append("\(margin)\(step)\(setting.rawValue): \(Self.scalar(value))")
        }
        if !devices.isEmpty {
            lines.append("\(margin)\(step)devices:")
            lines += devices.map { "\(margin)\(step)\(step)\(Self.scalar($0.nickname)): \(Self.scalar($0.token))" }
        }
        return lines
    }

    /// Returns a value in the form of YAML, in quotation marks unless every reader takes the plain word for text.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map {
                ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") || $0 == UInt8(ascii: "/")
            }
            ?? false
        let isSafe = text.utf8.allSatisfy { byte in
            (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
                || "0123456789/._-".utf8.contains(byte)
        }
        let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        if isPlain, isSafe, !reserved.contains(text.lowercased()) { return text }
        return "'" + text.replacing("'", with: "''") + "'"
    }
}
