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
        let workspace = try Workspace()
        try FileManager.default.copyItem(atPath: Self.folder.appending(path: name).path(), toPath: workspace.path(name))
        let found = try await workspace.pushsend("lint", name)
        #expect(found.output.contains("\(name):"), "a broken payload has a finding")
        let mended = try await workspace.pushsend("lint", "--fix", name)
        let now = """
            \(found.output)\(found.errors)exit \(found.status)

            --fix
            \(mended.output)\(mended.errors)exit \(mended.status)

            \(String(decoding: try Data(contentsOf: URL(filePath: workspace.path(name))), as: UTF8.self))
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
        let workspace = try Workspace()
        try bytes.write(to: URL(filePath: workspace.path(name)))
        _ = try await workspace.pushsend("lint", "--fix", name)
        let once = try Data(contentsOf: URL(filePath: workspace.path(name)))
        let again = try await workspace.pushsend("lint", "--fix", name)
        #expect(try Data(contentsOf: URL(filePath: workspace.path(name))) == once)
        #expect(!again.output.contains("fixed:"))
    }
}
