package import MockAPNs
import PushHTTP

/// A setting of the mock as text, for a command line: `idle_time=30s`.
package enum SettingText {
    /// The names of all settings.
    package static var names: [String] { SettingsForm.names }

    /// Changes one setting.
    ///
    /// - Parameters:
    ///   - name: The name of the setting in JSON.
    ///   - value: Its value: JSON, or a text without quotes. For a list, texts separated by commas; blanks around them do not count.
    ///   - settings: The settings to change.
    /// - Throws: ``Mistake``.
    package static func apply(_ name: String, _ value: String, to settings: inout MockSettings) throws(Mistake) {
        do {
            let isJSON = !SettingsForm.lists.contains(name) || value.hasPrefix("[") || value == "null"
            let tree = isJSON ? (try? MockJSON(json: Array(value.utf8))) ?? MockJSON(.string(value)) : list(value)
            try SettingsForm.read(MockJSON(.object([.init(name: name, value: tree)])), into: &settings)
        } catch let problem as APIProblem {
            throw Mistake(description: [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " "))
        } catch {
            throw Mistake(description: "The setting \(name.debugDescription) cannot be read.")
        }
    }

    private static func list(_ value: String) -> MockJSON {
        let texts = value.split(separator: ",").map { text in
            text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        }
        return MockJSON(.array(texts.filter { !$0.isEmpty }.map { MockJSON(.string($0)) }))
    }

    /// What is wrong with a setting, in sentences.
    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
    }
}
