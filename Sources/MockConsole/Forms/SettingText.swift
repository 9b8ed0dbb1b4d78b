package import MockAPNs
import PushHTTP
import PushJSON

/// A setting of the mock as text, for a command line: `idle_time=30s`.
package enum SettingText {
    /// Changes one setting.
    ///
    /// - Parameters:
    ///   - name: The name of the setting in JSON.
    ///   - value: Its value: JSON, or a text without quotes. For a list, texts separated by commas; blanks around them do not count.
    ///   - settings: The settings to change.
    /// - Throws: ``Mistake``.
    package static func apply(_ name: String, _ value: String, to settings: inout MockSettings) throws(Mistake) {
        do {
            var writer = JSONWriter()
            writer.object { $0.member(name) { write(value, isList: SettingsForm.lists.contains(name), to: &$0) } }
            try SettingsForm.read(try LocatedJSON(json: writer.bytes), into: &settings)
        } catch let problem as APIProblem {
            throw Mistake(description: [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " "))
        } catch {
            throw Mistake(description: "The setting \(name.debugDescription) can't be read.")
        }
    }

    private static func write(_ value: String, isList: Bool, to writer: inout JSONWriter) {
        if isList, !value.hasPrefix("["), value != "null" {
            let texts = value.split(separator: ",").map { text in
                text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
            }
            writer.array(texts.filter { !$0.isEmpty }) { $0.string($1) }
        } else if (try? JSONReader.tree(Array(value.utf8))) != nil {
            writer.raw(value)
        } else {
            writer.string(value)
        }
    }

    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
    }
}
