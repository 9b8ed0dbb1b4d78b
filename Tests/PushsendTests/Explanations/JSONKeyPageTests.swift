import Foundation
import TestSupport
import Testing

/// The keys in the JSON of the programs, read from the sources, so that no new one is forgotten.
struct JSONKeyPageTests {
    /// What is not JSON for users: the payloads of templates, the lines of the log.
    private static let others = ["TemplateChanges.swift", "ServiceLog.swift"]
    /// A key of a payload, not of an answer.
    private static let sealed = "sealed"

    @Test(arguments: [
        (
            "Sources/pushsend",
            [
                "json-and-exit-codes", "batch", "diagnose", "mock-api", "credentials", "pushsend-send",
                "rich-notifications",
            ]
        ),
        ("Sources/pushserve", ["service", "service-operations"]),
        ("Sources/MockConsole/Answers/PushForm.swift", ["json-and-exit-codes", "phones"]),
    ])
    func `each key of an answer is on a page`(source: String, pages: [String]) throws {
        let patterns = [
            #/\w\["([a-z][a-z0-9_]*)"\] = /#,
            #/\("([a-z][a-z0-9_]*)", (?:\.(?:string|integer|bool|array|members)|[a-z]+\.map)/#,
            #/"([a-z][a-z0-9_]*)": (?:\.(?:string|integer|number|bool|array|object)\(|[\w.?]+(?:\([^()]*\))?\.map[ (]|[\w.]+ \? )/#,
            #/(?:writer|\$0)\.(?:member|objects?)\("([a-z][a-z0-9_]*)"/#,
        ]
        var keys: Set<String> = []
        for file in try Self.files(source) where !Self.others.contains(file.lastPathComponent) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for pattern in patterns {
                keys.formUnion(text.matches(of: pattern).map { String($0.output.1) })
            }
        }
        #expect(keys.count > 10)
        var words: Set<String> = []
        for page in pages {
            let text = try Page.text("docs/\(page).md")
            words.formUnion(text.matches(of: /`([a-z][a-z0-9_]*)`/).map { String($0.output.1) })
        }
        #expect(keys.subtracting(words).subtracting([Self.sealed]).sorted() == [], "\(source)")
    }

    private static func files(_ path: String) throws -> [URL] {
        let url = Repository.url(path)
        if path.hasSuffix(".swift") { return [url] }
        let names = FileManager.default.enumerator(atPath: url.path())?.allObjects as? [String] ?? []
        return names.filter { $0.hasSuffix(".swift") }.map { url.appending(path: $0) }
    }
}
