import Foundation
import TestSupport
import Testing

/// What `pushsend lint` says of files that are broken in the ways in which people break them.
///
/// To write what it says now: PUSHSEND_REWRITE_GOLDEN=1 scripts/test --filter LintGoldenTests, then look at the difference.
@Suite struct LintGoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/payloads-broken")

    private static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test func `there are broken payloads`() {
        #expect(Self.names.count >= 40)
    }

    @Test(arguments: names)
    func `a broken payload has these findings, and is mended as far as that is certain`(name: String) async throws {
        let place = try Workplace()
        try FileManager.default.copyItem(atPath: Self.folder.appending(path: name).path(), toPath: place.path(name))
        let found = try await place.pushsend("lint", name)
        #expect(found.output.contains("\(name):"), "a broken payload has a finding")
        let mended = try await place.pushsend("lint", "--fix", name)
        let now = """
            \(found.output)\(found.errors)exit \(found.status)

            --fix
            \(mended.output)\(mended.errors)exit \(mended.status)

            \(String(decoding: try Data(contentsOf: URL(filePath: place.path(name))), as: UTF8.self))
            """
        let golden = Self.folder.appending(path: name.dropLast("json".count) + "expected")
        if ProcessInfo.processInfo.environment["PUSHSEND_REWRITE_GOLDEN"] != nil {
            try Data(now.utf8).write(to: golden)
        }
        #expect(now == String(decoding: try Data(contentsOf: golden), as: UTF8.self))
    }

    /// What it has mended itself is not broken any more, and is not mended again.
    @Test(arguments: names)
    func `mending twice is mending once`(name: String) async throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: name))
        let place = try Workplace()
        try bytes.write(to: URL(filePath: place.path(name)))
        _ = try await place.pushsend("lint", "--fix", name)
        let once = try Data(contentsOf: URL(filePath: place.path(name)))
        let again = try await place.pushsend("lint", "--fix", name)
        #expect(try Data(contentsOf: URL(filePath: place.path(name))) == once)
        #expect(!again.output.contains("fixed:"))
    }
}
