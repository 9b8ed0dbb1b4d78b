#if PushService
    /// Parts of statements that find rows by their keys.
    ///
    /// They leave the planner no choice. What it believes of a table may be wrong: a table that grew since it was analysed, or an app that
    /// it takes for a small part of it. With `= ANY` or a plain join it then reads all rows of the app. A subquery with `OFFSET 0` is
    /// planned by itself, and `ctid` is in no index, so each key is looked up in the primary key, one after the other.
    extension PostgresText {
        /// The rows of an app (`$1`) with given keys (an array, `$2`), as `found`. The owner is the column of the app, or of the campaign.
        ///
        /// The primary key of the table begins with the owner and the key. Other indexes that begin with the owner are for some of its rows only
        /// (`WHERE`), so they do not come into question.
        static func found(
            _ columns: String, in table: String, owner: String = "app", key: String = "id", _ type: String = "uuid"
        ) -> String {
            """
            unnest($2::\(type)[]) AS asked (key) CROSS JOIN LATERAL (
                SELECT \(columns) FROM \(table) WHERE \(owner) = $1::int4 AND \(table).\(key) = asked.key OFFSET 0
            ) AS found
            """
        }

        /// The same rows, which are locked in the order of their keys. All writers take texts in the order of their bytes, which the collation
        /// must say.
        static func foundAndLocked(
            _ columns: String, in table: String, key: String, _ type: String = "uuid", collation: String = ""
        ) -> String {
            """
            (SELECT key FROM unnest($2::\(type)[]) AS given (key) ORDER BY key \(collation) OFFSET 0) AS asked CROSS JOIN LATERAL (
                SELECT \(columns) FROM \(table) WHERE app = $1::int4 AND \(table).\(key) = asked.key OFFSET 0 FOR UPDATE
            ) AS found
            """
        }

        /// The condition of an `UPDATE` or a `DELETE` of the same rows. A row that another transaction changes at the same moment may be left
        /// out, so the rows are locked by a statement before, or are never changed.
        static func isFound(in table: String, key: String = "id", _ type: String = "uuid") -> String {
            "ctid = ANY (ARRAY(SELECT found.ctid FROM \(found("ctid", in: table, key: key, type))))"
        }
    }
#endif
