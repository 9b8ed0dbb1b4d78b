import PushPlatform

/// Where a payload is that is to be checked.
enum PayloadSource: Hashable {
    case file(String)
    case standardInput
    /// A folder without payloads, or a name that leads nowhere.
    case missing(String)

    /// What the words of a command line mean. A folder stands for the `.json` and `.apns` files in it and below it, in
    /// the order of their names. Hidden files, pipes and devices in it are left out, and links to folders are not followed.
    static func sources(_ words: [String]) -> [PayloadSource] {
        words.flatMap { word -> [PayloadSource] in
            if word == "-" { return [.standardInput] }
            var isFolder = false
            guard FileManager.default.fileExists(atPath: word, isDirectory: &isFolder) else {
                let hint = word.hasPrefix("{") ? " A payload itself goes to standard input: pushsend lint -" : ""
                return [.missing("There is no file \"\(word)\".\(hint)")]
            }
            guard isFolder else { return [.file(word)] }
            let found = payloads(in: word)
            return found.isEmpty
                ? [.missing("There is no .json or .apns file in the folder \"\(word)\".")] : found.map { .file($0) }
        }
    }

    /// Folders in folders, without an end, are somebody's mistake.
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
