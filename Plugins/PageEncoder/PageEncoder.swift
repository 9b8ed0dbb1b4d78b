import Foundation

/// Writes files as one Swift file with base64 texts, which compiles in an instant; arrays of bytes would take a minute.
///
/// Arguments: the Swift file to write, and for each file its folder and its path in the folder.
@main struct PageEncoder {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count > 2, arguments.count % 2 == 1 else {
            throw Failure(description: "Usage: PageEncoder OUTPUT (FOLDER FILE)...")
        }
        let entries = try stride(from: 1, to: arguments.count, by: 2).map { index in
            let (folder, path) = (arguments[index], arguments[index + 1])
            let bytes = try Data(contentsOf: URL(filePath: folder).appending(path: path))
            return "        (\"\(path)\", \"\(bytes.base64EncodedString())\"),"
        }
        let text = """
            /// The files of the page and the OpenAPI document, made of their folders in `Sources` by a plugin.
            enum PageFiles {
                static let all: [(path: StaticString, base64: StaticString)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try Data(text.utf8).write(to: URL(filePath: arguments[0]), options: .atomic)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
