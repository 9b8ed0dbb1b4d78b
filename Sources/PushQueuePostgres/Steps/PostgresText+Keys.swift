/// Parts of statements that find rows by key.
///
/// A statement must not depend on planner statistics: they are missing after a restore, and old after a table has grown. Then the planner
/// runs `= ANY` or a plain join as a scan of all rows of the app. So:
/// - `LATERAL (... OFFSET 0)` looks up each key in the primary key. `OFFSET 0` keeps the planner from merging the subquery.
/// - `ctid = ANY (...)` changes the rows that a subquery has found. `ctid` is in no index.
/// - `app + 0` and `until + 0` exclude an index. `app::int8` selects the index by number.
extension PostgresText {
    /// The rows of an app (`$1`) with given keys (an array, `$2`), as `found`. The owner is the column of the app, or of the campaign.
    ///
    /// The primary key of the table begins with the owner and the key. Other indexes that begin with the owner are for some of its rows only
    /// (`WHERE`), so the planner cannot use them here.
    static func found(
        _ columns: String, in table: String, owner: String = "app", key: String = "id", _ type: String = "uuid"
    ) -> String {
        """
        unnest($2::\(type)[]) AS asked (key) CROSS JOIN LATERAL (
            SELECT \(columns) FROM \(table) WHERE \(owner) = $1::int4 AND \(table).\(key) = asked.key OFFSET 0
        ) AS found
        """
    }

    /// The same rows, locked in the order of their keys. For keys that are texts, the collation is `COLLATE "C"`: all writers lock texts in
    /// byte order.
    static func foundAndLocked(
        _ columns: String, in table: String, key: String, _ type: String = "uuid", collation: String = ""
    ) -> String {
        """
        (SELECT key FROM unnest($2::\(type)[]) AS given (key) ORDER BY key \(collation) OFFSET 0) AS asked CROSS JOIN LATERAL (
            SELECT \(columns) FROM \(table) WHERE app = $1::int4 AND \(table).\(key) = asked.key OFFSET 0 FOR UPDATE
        ) AS found
        """
    }

    /// A subquery with the row (`ctid`) of the job that `given` names by its app and id.
    static let rowOfGiven = "SELECT ctid AS row FROM job WHERE job.app = given.app AND job.id = given.id OFFSET 0"

    /// The condition of an `UPDATE` or a `DELETE` of the same rows. A row that another transaction changes at the same time may be
    /// missed. So lock the rows first, or use it only for rows that never change.
    static func isFound(in table: String, key: String = "id", _ type: String = "uuid") -> String {
        "ctid = ANY (ARRAY(SELECT found.ctid FROM \(found("ctid", in: table, key: key, type))))"
    }
}
