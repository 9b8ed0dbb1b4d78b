import PushPlatform

/// The source of a payload to check.
enum PayloadSource: Hashable {
    case file(String)
    case standardInput
    /// The payload itself.
    case text(String)
    /// A folder without payloads, or a file that does not exist, with the message about it.
    case missing(String)

    /// Returns the sources that the arguments name. A folder means all `.json` and `.apns` files in it and its subfolders, sorted
    /// by name. Hidden files, pipes and devices are skipped, and links to folders are not followed.
    static func sources(_ arguments: [String]) -> [PayloadSource] {
        arguments.flatMap { argument -> [PayloadSource] in
            if argument == "-" { return [.standardInput] }
            // As for --payload.
            if argument.drop(while: \.isWhitespace).hasPrefix("{") { return [.text(argument)] }
            var isFolder = false
            guard FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) else {
                if argument.hasPrefix("[") || argument.hasPrefix("\"") { return [.text(argument)] }
                return [.missing("There is no file \"\(argument)\".")]
            }
            guard isFolder else { return [.file(argument)] }
            let found = payloads(in: argument)
            return found.isEmpty
                ? [.missing("There is no .json or .apns file in the folder \"\(argument)\".")] : found.map { .file($0) }
        }
    }

    /// The maximum depth of subfolders. Deeper ones are not read.
    private static let deepest = 20

    private static func payloads(in folder: String, depth: Int = 0) -> [String] {
        guard depth < deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return []
        }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
            let path = "\(base)/\(name)"
            let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if kind == .typeDirectory { return payloads(in: path, depth: depth + 1) }
            guard name.hasSuffix(".json") || name.hasSuffix(".apns") else { return [] }
            return FileKind(path: path).map { $0 == .file } ?? true ? [path] : []
        }
    }
}
