import PushPlatform
import PushQueue

extension QueueError {
    /// What an error of a statement means for a queue.
    ///
    /// - Parameters:
    ///   - state: SQLSTATE (PostgreSQL's manual, appendix A).
    ///   - message: The first line. Details of an error may contain data, and are left out.
    ///   - constraint: The constraint that it is about.
    ///   - endpoint: The server that reported it.
    ///   - mayBeStored: Whether a commit may have been sent.
    /// - Returns: The error, with the remedy.
    static func postgres(
        _ state: String, _ message: String, constraint: String? = nil, _ endpoint: PostgresEndpoint,
        mayBeStored: Bool = true
    ) -> QueueError {
        switch state {
        case "53100":
            QueueError(
                .diskFull,
                "The disk of \(endpoint) is full. Nothing was stored. Free some space there, then try again."
            )
        case "40001", "40P01", "55P03":
            QueueError(
                .conflict,
                "Another transaction on \(endpoint) conflicted with this step: \(message). Nothing was stored. Try again."
            )
        case "23505" where constraint == "campaign_key":
            QueueError(
                .conflict,
                """
                Another transaction on \(endpoint) has just stored a campaign with the same key: \(message) (SQLSTATE \
                \(state)). Nothing was stored. Try again.
                """)
        case "23505" where constraint == "content_pkey":
            QueueError(
                .conflict,
                """
                Another transaction on \(endpoint) has just stored a job with the same id: \(message) (SQLSTATE \
                \(state)). Nothing was stored. Try again.
                """)
        case "57014":
            QueueError(
                .busy,
                """
                A statement on \(endpoint) was ended: \(message). Nothing was stored. Find the session that holds \
                the lock in pg_stat_activity, then try again.
                """)
        case "25006":
            QueueError(
                .unreachable,
                """
                The server of \(endpoint) no longer accepts writes. Nothing was stored. If another server is the \
                primary now, add it to the address.
                """)
        case "42501":
            QueueError(
                .refused,
                """
                The user of \(endpoint) lacks a permission: \(message). Nothing was stored. Grant it, or use another \
                user.
                """)
        // The last four: a column has another type.
        case "3F000", "42P01", "42703", "42704", "42883", "42P10", "23502", "22P03", "42804", "42846", "08P01":
            QueueError(
                .damaged,
                """
                The tables of \(endpoint) aren't as this program created them: \(message) (SQLSTATE \(state)). \
                Nothing was stored. Undo the change to the tables, or restore a backup.
                """)
        case "0A000":
            QueueError(
                .unusable,
                """
                \(endpoint) can't do this with its tables as they are: \(message). Nothing was stored. Undo the change \
                to the tables.
                """)
        case "58030", "53200":
            QueueError(
                .inputOutput,
                "The server of \(endpoint) failed: \(message). Nothing was stored. Check its log, its disk and its memory."
            )
        case "XX001", "XX002":
            QueueError(.damaged, "The database \(endpoint) is damaged: \(message). Restore a backup.")
        case _ where state.hasPrefix("54"):
            QueueError(
                .tooLarge,
                "A value is too large for \(endpoint): \(message). Nothing was stored. Shorten the value."
            )
        case _ where state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03" || state == "25P04":
            broken(message, endpoint, mayBeStored: mayBeStored)
        default:
            // The messages of class 22 quote values.
            defect(state.hasPrefix("22") ? "SQLSTATE \(state)" : "\(message) (SQLSTATE \(state))", endpoint)
        }
    }

    /// What an error of a statement of somebody else means. Without values, none of them can be the cause: the statement is wrong.
    static func foreign(
        _ state: String, _ message: String, _ endpoint: PostgresEndpoint, hasValues: Bool = true
    ) -> QueueError {
        switch state.prefix(2) {
        // These messages quote values.
        // A type that is not supported, such as an infinite time; an exception of a function or a trigger; two rows for one value.
        case "22" where hasValues, "0A" where hasValues, "P0" where hasValues, "21" where hasValues:
            QueueError(.invalid, "The database \(endpoint) refuses a value (SQLSTATE \(state)).")
        // A constraint, of which the message has only the name.
        case "23" where hasValues:
            QueueError(.invalid, "The database \(endpoint) refuses a value: \(message) (SQLSTATE \(state)).")
        case "08" where state != "08P01": broken(message, endpoint, mayBeStored: false)
        // Another client of a pooler prepared it.
        case "42" where state == "42P05":
            QueueError(
                .damaged,
                """
                A connection pooler at \(endpoint) mixes up the statements of its clients. PgBouncer must be 1.21 or newer, with \
                max_prepared_statements.
                """)
        case "57" where state != "57014": broken(message, endpoint, mayBeStored: false)
        case "40", "53", "55", "57":
            QueueError(.busy, "The database \(endpoint) didn't answer in time: \(message) (SQLSTATE \(state)).")
        default: QueueError(.damaged, "The database \(endpoint) refuses a statement: \(message) (SQLSTATE \(state)).")
        }
    }

    /// A function, a trigger or a constraint of somebody else has failed. Its message may have data, and stays in the log of the server.
    static func ofTheirs(_ code: Code, _ state: String, at place: String?, _ endpoint: PostgresEndpoint) -> QueueError {
        let advice =
            state == "42501"
            ? " The role lacks a permission there: grant it, or create the function with SECURITY DEFINER." : ""
        let what =
            place.map { "A function in \(endpoint) has failed: \($0)" }
            ?? "A trigger, a rule or a constraint in \(endpoint) has refused a statement"
        return QueueError(
            code, "\(what) (SQLSTATE \(state)).\(advice) Nothing was stored. The log of PostgreSQL has the message.")
    }

    /// Whether the same step may succeed later.
    var mayPass: Bool { [.conflict, .busy, .unreachable, .diskFull, .inputOutput].contains(code) }

    /// A prepared statement is no longer valid.
    static func unprepared(_ endpoint: PostgresEndpoint) -> QueueError {
        QueueError(
            .conflict,
            "A statement on \(endpoint) must be prepared again. Nothing was stored. Try again.")
    }

    static func defect(_ reason: String, _ endpoint: PostgresEndpoint) -> QueueError {
        QueueError(
            .defect,
            "PostgreSQL refused a statement on \(endpoint): \(reason). Nothing was stored. Please report this."
        )
    }

    /// The connection broke after something was sent.
    static func broken(_ reason: String, _ endpoint: PostgresEndpoint, mayBeStored: Bool) -> QueueError {
        QueueError(
            .unreachable,
            """
            The connection to \(endpoint) broke: \(reason.isEmpty ? "the server is gone" : reason). \(fate(mayBeStored)) Check that \
            PostgreSQL runs.
            """)
    }

    static func noAnswer(_ time: Duration, _ endpoint: PostgresEndpoint, mayBeStored: Bool) -> QueueError {
        QueueError(
            .unreachable,
            """
            The server of \(endpoint) didn't answer within \(time). \(fate(mayBeStored)) Check the server and the network.
            """)
    }

    /// The server did not answer an earlier step, so this one is not tried.
    static func notTried(_ address: PostgresAddress) -> QueueError {
        QueueError(
            .unreachable,
            """
            The server of the queue \(address) didn't answer an earlier step in time. Nothing was stored. Check the \
            server and the network.
            """)
    }

    private static func fate(_ mayBeStored: Bool) -> String {
        mayBeStored
            ? "This step wasn't confirmed: it may or may not be stored." : "Nothing was stored."
    }

    /// A user cancelled a commit while it waited for the synchronous standby.
    static func withoutStandby(_ endpoint: PostgresEndpoint) -> QueueError {
        QueueError(
            .unreachable,
            """
            The server of \(endpoint) stopped waiting for its synchronous standby. This step wasn't confirmed: it is stored only on \
            this server. Don't cancel waiting commits: they continue when the standby is back.
            """)
    }

    /// The connection broke earlier.
    static func notConnected(_ endpoint: PostgresEndpoint) -> QueueError {
        QueueError(
            .unreachable, "The connection to \(endpoint) is broken. Nothing was stored. Reconnect."
        )
    }

    static func closed(_ address: PostgresAddress) -> QueueError {
        QueueError(.closed, "The queue \(address) was closed. Reopen it.")
    }

    /// No server of an address can be used.
    static func cannotConnect(_ address: PostgresAddress, _ failures: [PostgresConnectFailure]) -> QueueError {
        guard let last = failures.first(where: \.isOfAllServers) ?? failures.last else {
            return QueueError(.unreachable, "The address \(address) has no server.")
        }
        guard failures.count > 1 else {
            return QueueError(
                last.code, "Can't connect to \(address): \(last.server): \(last.reason). \(last.advice)")
        }
        let reasons = failures.map { "\($0.server): \($0.reason)." }.joined(separator: " ")
        return QueueError(last.code, "No server of \(address) can be used. \(reasons) \(last.advice)")
    }
}
