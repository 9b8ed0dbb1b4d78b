import Foundation

/// Writes files as one Swift file with base64 texts, which compiles in an instant; arrays of bytes would take a minute.
///
/// Arguments: the Swift file to write, the folder, and the paths of the files in it.
@main struct InboxPageEncoder {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count > 2, let output = arguments.first, let folder = arguments.dropFirst().first else {
            throw Failure(description: "Usage: InboxPageEncoder OUTPUT FOLDER FILE...")
        }
        let entries = try arguments.dropFirst(2).map { path in
            let bytes = try Data(contentsOf: URL(filePath: folder).appending(path: path))
            return "        (\"\(path)\", \"\(bytes.base64EncodedString())\"),"
        }
        let text = """
            /// The files of the inbox page, made of `Sources/InboxPage` by a plugin.
            enum InboxPageFiles {
                static let all: [(path: StaticString, base64: StaticString)] = [
            \(entries.joined(separator: "\n"))
                ]
            }

            """
        try Data(text.utf8).write(to: URL(filePath: output), options: .atomic)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
