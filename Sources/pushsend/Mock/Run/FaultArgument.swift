import APNSVocabulary
import MockAPNs
internal import PushJSON
import PushPlatform

/// A value of `--fault`: a fault as JSON, or a file with one or more faults.
enum FaultArgument {
    static func read(_ text: String) throws -> [MockFault] {
        let first = text.first { !$0.isWhitespace }
        let isFile = first != "{" && first != "["
        let json = isFile ? try contents(of: text) : text
        do throws(MockFaultError) { return try MockFault.list(json: json) } catch {
            let name = isFile ? "\(text):" : "--fault: "
            if let mistake = syntaxMistake(in: json, name) {
                throw CommandFailure(status: .invalidInput, message: mistake)
            }
            let source = isFile ? "The file \"\(text)\" of --fault: " : "--fault: "
            throw CommandFailure(status: .invalidInput, message: "\(source)\(error)")
        }
    }

    /// Returns, for example, `faults.json:2:5: The closing } is missing. Add it.`; `nil` if the text is JSON.
    private static func syntaxMistake(in json: String, _ name: String) -> String? {
        let bytes = Array(json.utf8)
        do throws(JSONMistake) {
            _ = try JSONReader.tree(bytes)
            return nil
        } catch {
            let position = LineIndex(bytes).position(of: error.range.lowerBound)
            return "\(name.printable)\(position.line):\(position.column): \(error.problem). \(error.advice)"
        }
    }

    private static func contents(of path: String) throws -> String {
        let bytes = try SettingsFile.read(
            path, "There is no file \"\(path)\" for --fault, or it cannot be read. JSON text begins with {.")
        return String(decoding: bytes, as: UTF8.self)
    }
}
