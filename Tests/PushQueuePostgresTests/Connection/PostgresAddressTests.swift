import PushQueue
import Testing

@testable import PushQueuePostgres

@Suite struct PostgresAddressTests {
    @Test(arguments: [
        ("postgres://u:p@h:1/d", "postgres://u@h:1/d"),
        ("postgresql://u@h/d", "postgres://u@h/d"),
        ("postgres://u:p@a:1,b,[::1]:3/d?sslmode=require&sslpassword=p", "postgres://u@a:1,b,[::1]:3/d"),
        ("postgres://", "postgres:///"),
        ("postgres:///d?host=/run/x&port=5433&user=u", "postgres://u@%2Frun%2Fx:5433/d"),
        ("postgres://a,b/d?port=7", "postgres://a:7,b:7/d"),
        ("postgres://%C3%A9:%40%2F@h/d%20d?password=p", "postgres://%C3%A9@h/d%20d"),
        ("postgres://h?dbname=d", "postgres://h/d"),
    ])
    func `an address shows no password and no parameters`(text: String, shown: String) throws {
        #expect("\(try PostgresAddress(text))" == shown)
    }

    @Test func `the schema is ours and the rest is for libpq`() throws {
        let address = try PostgresAddress("postgres://u:p%25@h/d?schema=mine_2&sslmode=require")
        #expect(address.schema == "mine_2")
        #expect(address.parameters == ["password": "p%", "sslmode": "require"])
        #expect(try PostgresAddress("postgres://h/d").schema == "pushserve")
    }

    @Test(arguments: [
        ("mysql://h/d", "doesn't begin with postgres://"),
        ("postgres://u:sec@ret@h/d", "Write \"@\" there as %40"),
        ("postgres://u:sec/ret@h/d", "\"/\" as %2F"),
        ("postgres://u:sec?ret@h/d", "\"?\" as %3F"),
        ("postgres://u:sec%ret@h/d", "%-sequence in its password"),
        ("postgres://u:sec%00ret@h/d", "%-sequence in its password"),
        ("postgres://u:secret", "wrong port"),
        ("postgres://u:secret@h:70000/d", "wrong port"),
        ("postgres://u:secret@[::1/d", "\"[\" without a \"]\""),
        ("postgres://u:secret@[::1]5/d", "after the \"]\""),
        ("postgres://u:secret@::1/d", "in brackets"),
        ("postgres://u:secret@h/d?sslmod=require", "unknown parameter \"sslmod\""),
        ("postgres://u:secret@h/d?sslmode", "\"sslmode\" without a value"),
        ("postgres://u:secret@h/d?client_encoding=LATIN1", "sets itself"),
        ("postgres://u:secret@h/d?target_session_attrs=any", "A queue writes"),
        ("postgres://u:secret@h/d?schema=Mine", "lower-case"),
        ("postgres://u:secret@h/d?schema=", "lower-case"),
        ("postgres://u:secret@h/d?schema=pg_mine", "pg_"),
        ("postgres://u:secret@a,b/d?port=1,2,3", "2 hosts but 3 ports"),
        ("postgres://u:secret@a,b/d?hostaddr=127.0.0.1", "hostaddr"),
        ("postgres://u:secret@h/d\u{0}", "NUL"),
    ])
    func `a wrong address is refused without its password`(text: String, words: String) throws {
        let error = try #require(#expect(throws: QueueError.self) { _ = try PostgresAddress(text) })
        #expect(error.code == .invalid)
        #expect(error.description.contains(words), "\(error)")
        #expect(!error.description.contains("sec"), "\(error)")
        #expect(!error.description.contains("ret"), "\(error)")
    }

    @Test func `an error of a server gives SQLSTATE also in another language`() throws {
        let message = """
            connection to server at "127.0.0.1", port 5432 failed: FATAL:  28P01: Passwort-Authentifizierung fehlgeschlagen
            LOCATION:  auth_failed, auth.c:338

            """
        let found = try #require(PostgresConnectFailure.serverError(message))
        #expect(found.state == "28P01")
        #expect(found.text == "Passwort-Authentifizierung fehlgeschlagen")
        #expect(PostgresConnectFailure.serverError("connection failed: Connection refused\n\tIs it running?") == nil)
    }

    @Test(arguments: [
        (
            "could not translate host name \"x\" to address: Name or service not known", QueueError.Code.unreachable,
            "DNS"
        ),
        (
            "connection to server at \"x\" (1.2.3.4), port 1 failed: Connection timed out", .unreachable,
            "host and the port"
        ),
        ("connection to server at \"x\", port 1 failed: private key file \"k\" has group access", .refused, "sslkey"),
    ])
    func `a message of libpq leads to advice`(message: String, code: QueueError.Code, advice: String) {
        let failure = PostgresConnectFailure("x:1", message, isStandby: false)
        #expect(failure.code == code)
        #expect(failure.advice.contains(advice))
        #expect(!failure.reason.contains("connection to server"))
    }

    @Test func `two campaigns with one key at the same moment are a conflict, in any language`() throws {
        let endpoint = PostgresEndpoint(address: try PostgresAddress("postgres://u:p@h/d"), server: "h:5432")
        #expect(QueueError.postgres("23505", "ein Text", constraint: "campaign_key", endpoint).code == .conflict)
        #expect(QueueError.postgres("23505", "ein Text", constraint: "job_pkey", endpoint).code == .defect)
    }

    @Test(arguments: [
        ("53100", QueueError.Code.diskFull), ("40001", .conflict), ("55P03", .conflict), ("57014", .busy),
        ("25006", .unreachable), ("57P01", .unreachable), ("42501", .refused), ("53200", .inputOutput),
        ("XX001", .damaged), ("54000", .tooLarge), ("08006", .unreachable), ("23505", .defect), ("22P02", .defect),
    ])
    func `each kind of SQLSTATE has its code`(state: String, code: QueueError.Code) throws {
        let endpoint = PostgresEndpoint(address: try PostgresAddress("postgres://u:p@h/d"), server: "h:5432")
        let error = QueueError.postgres(state, "a message", endpoint)
        #expect(error.code == code)
        #expect(error.description.contains("postgres://u@h/d"))
        // Messages of class 22 quote values.
        #expect(error.description.contains("a message") == (state != "25006" && state != "22P02" && state != "53100"))
    }
}
