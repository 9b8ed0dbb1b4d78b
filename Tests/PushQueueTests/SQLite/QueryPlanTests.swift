import Foundation
import GRDB
import PushPlatform
import QueueConformance
import TestSupport
import Testing

@testable import PushQueue

/// No statement may read whole tables of jobs: they have millions of rows.
struct QueryPlanTests {
    private struct Statement {
        var name: String
        var sql: String
    }

    /// The statements of the sources. Those that are put together in another way than here are left out.
    private static func statements() throws -> [Statement] {
        let root = Repository.url("Sources/PushQueue/SQLite")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var statements: [Statement] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(
                of:
                    /static let (\w+)(?:: SQLText =| = SQLText\()\s*(?:"""\n([^"]*(?:"[^"]+)*)\n\s*"""|"([^"\n]*)"\s*\))/
            ) {
                let sql = String(match.output.2 ?? match.output.3 ?? "")
                    .replacing(#"\(QueueSchema.hasCollapseID)"#, with: QueueSchema.hasCollapseID)
                    .replacing(
                        #"\(QueueSchema.part(of: QueueSchema.collapseID))"#,
                        with: QueueSchema.part(of: QueueSchema.collapseID)
                    )
                    .replacing(#"\(QueueSchema.part(of: "?4"))"#, with: QueueSchema.part(of: "?4"))
                    .replacing(#"\(QueueSchema.collapseID)"#, with: QueueSchema.collapseID)
                if sql.contains(#"\("#) || sql.hasPrefix("BEGIN") || sql.hasPrefix("COMMIT")
                    || sql.hasPrefix("ROLLBACK")
                    || sql.hasPrefix("SAVEPOINT") || sql.hasPrefix("RELEASE")
                {
                    continue
                }
                statements.append(Statement(name: String(match.output.1), sql: sql))
            }
        }
        return statements
    }

    /// Tables with a row for each app, lease or setting.
    private static let small: Set<String> = ["app", "clock", "lease", "json_each", "record", "campaign"]
    /// An export reads everything, in the order of a key; the others read their first rows only, or as many as there are keys, or the
    /// audit, which has a bound.
    private static let exceptions: Set<String> = [
        "exportedRequests", "exportedTokens", "exportedLatest", "exportedCampaigns", "requestsOfJobs", "dropAudit",
        "countAudit", "dropExcessAudit",
    ]

    @Test func `each statement finds its rows by an index`() async throws {
        let folder = try QueueFolder()
        let path = folder.next()
        await (try SQLiteQueue(path)).close()
        let database = try DatabaseQueue(path: path)
        let statements = try Self.statements()
        #expect(statements.count > 100)
        for name in [
            "ofTarget", "ofCollapseID", "ofDedupeKey", "newestWithReason", "newestOfCampaign", "tallies", "auditOfApp",
        ] {
            #expect(statements.contains { $0.name == name }, "\(name)")
        }
        for statement in statements where !Self.exceptions.contains(statement.name) {
            let plan = try await database.read { database in
                // Parameters have no values, which the plan does not need.
                try Row.fetchAll(
                    try database.makeStatement(sql: "EXPLAIN QUERY PLAN \(statement.sql)").withoutValues()
                ).map { $0["detail"] as String }
            }
            for step in plan where step.hasPrefix("SCAN") {
                let table = step.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                #expect(Self.small.contains(table), "\(statement.name): \(step)")
            }
        }
        try database.close()
    }
}

extension Statement {
    /// The statement with parameters that are all NULL.
    fileprivate func withoutValues() throws -> Statement {
        setUncheckedArguments(StatementArguments(Array(repeating: DatabaseValue.null, count: sqliteParameterCount)))
        return self
    }

    private var sqliteParameterCount: Int { Set(sql.matches(of: /\?\d+/).map { String($0.output) }).count }
}
