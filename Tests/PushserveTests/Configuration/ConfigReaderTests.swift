import Foundation
import Logging
import MockAPNs
import PushCommandLine
import PushDelivery
import PushPlatform
import PushProvider
import PushQueue
import PushQueuePostgres
import PushService
import PushYAML
import TestSupport
import Testing

@testable import pushserve

@Suite struct ConfigReaderTests {
    private let ground: Ground
    private let authority: [UInt8]

    init() throws {
        ground = try Ground()
        try ground.write(SampleKey.pem, to: "AuthKey_ABC123DEFG.p8")
        for name in ["server.pem", "server.key", "shop.p12", "shop.pass", "hook.secret"] {
            try ground.write("content", to: name)
        }
        authority = Array(try MockCredentials.inMemory().authority.utf8)
        try ground.write(authority, to: "ca.pem")
    }

    private func read(_ text: String, _ variables: [String: String] = [:]) throws(ConfigMistakes)
        -> ServiceConfiguration
    {
        try ServiceConfiguration.read(
            Array(text.utf8), file: "pushserve.yaml", folder: ground.folder.path(), Variables(variables))
    }

    /// The messages of a configuration with mistakes.
    private func mistakes(_ text: String, _ variables: [String: String] = [:]) -> [String] {
        do throws(ConfigMistakes) {
            _ = try read(text, variables)
            return []
        } catch {
            return error.inOrder.map(\.description)
        }
    }

    private static let app = """
        apps:
          shop:
            environment: sandbox
            key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}

        """

    /// The lines of a key that the example has as a comment.
    private func commented(_ key: String) -> String {
        let lines = Repository.text("deploy/pushserve.yaml").split(separator: "\n").map(String.init)
        let from = lines.drop { !$0.hasPrefix("# \(key):") }
        let rest = from.dropFirst().prefix { $0.hasPrefix("#  ") }
        return (from.prefix(1) + rest).map { $0.dropFirst(2) }.joined(separator: "\n")
    }

    @Test func `what the example and the pages call defaults are the defaults`() throws {
        let example = ["limits", "keep", "drain"].map(commented).joined(separator: "\n")
        let configuration = try read("\(example)\ndatabase: q.sqlite\n\(Self.app)")
        let plain = try read("database: q.sqlite\n\(Self.app)")
        #expect(example.contains("rate_per_key") && example.contains("payloads") && example.contains("drain"))
        #expect(configuration.limits == plain.limits && configuration.keep == plain.keep)
        #expect(configuration.drain == plain.drain)
        // A stream and arrays go as fast as the table of rates promises, without a change of the limit.
        let rate = Int(plain.limits.ratePerKey).formatted(.number.grouping(.automatic).locale(Locale(identifier: "en")))
        #expect(Repository.text("docs/performance.md").contains("if one key sends more than \(rate)/s"))
    }

    @Test func `a configuration with every key becomes values, with paths that begin at its folder`() throws {
        let configuration = try read(
            """
            listen: "[::1]:8443"
            tls: {certificate: server.pem, key: server.key}
            metrics: localhost:9090
            database: data/queue.sqlite
            limits: {body: 1MiB, queue_depth: 1_000, rate_per_key: 50/m, connections: 20, start_window: 10}
            keep: {jobs: 2d, payloads: 90m, keys: 500ms}
            webhooks: {allow: [hooks.example.com], timeout: 5s, retry_for: 1d}
            inbox:
              - {database: "postgres://push@db/shop", schema: My Schema, poll: 1s, outcomes: failures}
              - {database: "postgres://push@db/news"}
            page: {payloads: false}
            log: {level: debug, format: json}
            drain: 10s
            apps:
              shop:
                environment: {host: apns.example.com, port: 2197, ca: ca.pem}
                certificate: {file: shop.p12, passphrase_file: shop.pass}
                topic: com.example.shop
                topics: [com.example.shop, com.example.shop.voip]
                delivery: at_least_once
                rate: 500/s
                per_device: 1s
                gone: refuse
                mismatch: off
                ttl: 24h
                connections: 3
                recipients:
                  database: postgres://shop_read:secret@db.example.com/shop
                  of_user: SELECT token FROM devices WHERE user_id = $1
                  audiences: {vip: "SELECT id, token FROM devices WHERE id > $1 ORDER BY id LIMIT $2"}
                  gone: |
                    DELETE FROM devices
                    WHERE token = $1 AND registered_at <= $2
                webhook: {url: "https://example.com/hook", secrets_file: hook.secret, events: [accepted, not_sent]}
              news:
                environment: production
                key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}
            """)
        let folder = ground.folder.path()
        #expect(configuration.listen == ListenAddress(host: "::1", port: 8443))
        #expect(configuration.tls == .init(certificate: ground.path("server.pem"), key: ground.path("server.key")))
        #expect(configuration.metrics == ListenAddress(host: "127.0.0.1", port: 9090))
        #expect(configuration.database == .file(ConfigValue.path("data/queue.sqlite", in: folder)))
        #expect(
            configuration.limits
                == .init(body: 1 << 20, queueDepth: 1000, ratePerKey: 50.0 / 60, connections: 20, startWindow: 10))
        #expect(
            configuration.keep
                == .init(jobs: .seconds(172_800), payloads: .seconds(5400), keys: .milliseconds(500)))
        #expect(
            configuration.webhooks
                == .init(allowedHosts: ["hooks.example.com"], timeout: .seconds(5), retryFor: .seconds(86_400)))
        #expect(
            configuration.inboxes.map(\.address.description) == ["postgres://push@db/shop", "postgres://push@db/news"])
        #expect(configuration.inboxes.map(\.contract.schema) == ["My Schema", "pushserve"])
        #expect(configuration.inboxes.map(\.poll) == [.seconds(1), .milliseconds(20)])
        #expect(configuration.inboxes.map(\.outcomes) == [.failures, .none])
        #expect(!configuration.page.showsPayloads && !configuration.api.showsPayloads)
        #expect(configuration.log == .init(level: .debug, format: .json))
        #expect(configuration.drain == .seconds(10))
        #expect(configuration.apps.map(\.settings.name) == ["shop", "news"])

        let shop = try #require(configuration.apps.first)
        let settings = shop.settings
        #expect(settings.environment.host == "apns.example.com")
        #expect(settings.environment.port == 2197)
        #expect(settings.environment.trust == .authorities(pem: authority))
        #expect(
            settings.credentials
                == .identity(file: ground.path("shop.p12"), passphraseFile: ground.path("shop.pass")))
        #expect(settings.topic == "com.example.shop")
        #expect(settings.allowedTopics == ["com.example.shop", "com.example.shop.voip"])
        #expect(settings.policy == .atLeastOnce)
        #expect(settings.ratePerSecond == 500)
        #expect(settings.deviceInterval == .seconds(1))
        #expect(settings.gone == .refuse && !settings.stopsAtMismatch)
        #expect(settings.expiry == .seconds(86_400))
        #expect(settings.client.maximumConnections == 3)
        #expect(settings.recipients?.audiences == ["vip"] && settings.recipients?.deletesGone == true)
        #expect(
            shop.webhook
                == .init(
                    url: "https://example.com/hook", secretsFile: ground.path("hook.secret"),
                    events: ["accepted", "not_sent"], location: .file("pushserve.yaml", line: 34, column: 14)))

        let news = try #require(configuration.apps.last)
        #expect(news.settings.environment == .production)
        // The file's name has the id.
        #expect(
            news.settings.credentials
                == .key(file: ground.path("AuthKey_ABC123DEFG.p8"), keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        #expect(news.settings.policy == .atMostOnce)
        #expect(news.settings.gone == .skip)
        #expect(news.settings.expiry == nil)
        #expect(news.webhook == nil)
        #expect(news.location == .file("pushserve.yaml", line: 35, column: 3))
    }

    @Test func `a short configuration has the usual values`() throws {
        let configuration = try read(Self.app)
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.database == .file(ConfigValue.path("pushserve.sqlite", in: ground.folder.path())))
        #expect(configuration.limits == .init())
        #expect(configuration.keep == .init())
        #expect(configuration.tls == nil)
        #expect(configuration.metrics == nil)
        #expect(configuration.warnings.isEmpty)
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("listn: 127.0.0.1:80\n", #"1:1: Unknown key "listn". Did you mean "listen"?"#),
        ("port: 80\n", #"1:1: Unknown key "port". Did you mean "listen"?"#),
        ("limits: {bodi: 1MiB}\n", #"1:10: Unknown key "bodi". Did you mean "body"?"#),
        ("listen: 8080\n", #"1:9: "listen" is "8080". The address is missing. Did you mean "127.0.0.1:8080"?"#),
        ("listen: :8080\n", #""listen" is ":8080". The address is missing."#),
        ("listen: example.com:80\n", #""listen" is "example.com:80". Use an IP address"#),
        ("listen: ::1:80\n", "An IPv6 address needs brackets: [::1]:80."),
        ("metrics: ::1:0\n", "An IPv6 address needs brackets: [::1]:0."),
        ("public_url: https://::1:8443\n", "An IPv6 address needs brackets: [::1]:8443."),
        ("metrics: true\n", "Use ADDRESS:PORT"), ("listen: \"[::1]\"\n", #"Did you mean "[::1]:8080"?"#),
        ("webhooks: {allow: [localhost:80]}\n", #""allow" has "localhost:80". Use hosts alone"#),
        ("webhooks: {allow: [a, \"http://b\"]}\n", #""allow" has "http://b"."#),
        ("listen: 127.0.0.1:70000\n", "Use ADDRESS:PORT with a port from 1 to 65535"),
        ("listen: [a, b]\n", #"1:9: "listen" takes one value, not a list or a group."#),
        ("listen:\n", #"1:1: "listen" has no value."#),
        ("limits: {body: 8XB}\n", #"1:16: "body" is "8XB". Use a number with its unit"#),
        ("limits: {body: 1B}\n", #""body" is "1B". Use a size from 8192"#),
        ("limits: {queue_depth: 0}\n", #""queue_depth" is "0". Use a whole number from 1"#),
        ("limits: {rate_per_key: fast}\n", #""rate_per_key" is "fast". Use a number for each second"#),
        ("limits: 5\n", #"1:9: "limits" must consist of lines such as "key: value"."#),
        ("keep: {jobs: 7}\n", #"1:14: "jobs" is "7". A duration needs a unit, such as 7s, 7h or 7d."#),
        ("keep: {jobs: 0s}\n", #""jobs" is "0s". Use a duration longer than zero"#),
        ("log: {level: loud}\n", #""level" is "loud". Use trace, debug, info, notice, warning or error."#),
        ("inbox: {poll: 1s}\n", #"1:8: "inbox" needs the key "database"."#),
        ("inbox: {database: queue.sqlite}\n", #"1:19: "database": "#),
        ("inbox: {database: 'postgres://h/d', outcomes: some}\n", #""outcomes" is "some". Use none, failures or all."#),
        (
            "inbox: {database: 'postgres://h/d', schema: \(String(repeating: "a", count: 51))}\n",
            #""schema": The schema of an inbox must have 1 to 50 bytes"#
        ),
        ("inbox: [{database: 'postgres://h/d'}, {database: 'postgres://h/d'}]\n", "This inbox is given twice."),
        ("tls: {certificate: server.pem}\n", #"1:6: "tls" needs the key "key"."#),
        ("tls: {certificate: nowhere.pem, key: server.key}\n", "There is no such file."),
        ("tls: {certificate: server.pem, key: .}\n", "which is a folder"),
        ("database: ~/queue.sqlite\n", "Write the path of the home folder"),
    ])
    func `a mistake has its location and what to do`(text: String, message: String) {
        let found = mistakes(text + Self.app)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("pushserve.yaml:1:") == true)
        #expect(found.first?.contains(message) == true, "\(found)")
    }

    @Test
    func `delivery counts are imported with the team of the key and the bundle id of the topic, or with other ones`()
        throws
    {
        func source(_ lines: String) throws -> DeliveryCountSource? {
            try read(Self.app + "    \(lines)\n").apps[0].settings.deliveryCounts
        }
        let token = ground.path("hook.secret")
        #expect(
            try source("topic: a.b.voip\n    delivery: {token_file: hook.secret}")
                == DeliveryCountSource(tokenFile: token, teamID: "DEF123GHIJ", bundleID: "a.b"))
        #expect(
            try source("delivery: {token_file: hook.secret, team: TEAM123456, bundle_id: c.d}")
                == DeliveryCountSource(tokenFile: token, teamID: "TEAM123456", bundleID: "c.d"))
        #expect(try source("delivery: {policy: at_least_once}") == nil)
        #expect(try read(Self.app + "    delivery: {policy: at_least_once}\n").apps[0].settings.policy == .atLeastOnce)
    }

    @Test(arguments: [
        ("topik: a.b", #"5:5: Unknown key "topik". Did you mean "topic"?"#),
        ("bundle_id: a.b", #"Unknown key "bundle_id". Did you mean "topic"?"#),
        ("passphrase: example", #"Secrets don't belong in this file. Instead of "passphrase""#),
        ("delivery: exactly_once", #""delivery" is "exactly_once". Use at_most_once or at_least_once."#),
        ("delivery: {policy: never}", #""policy" is "never". Use at_most_once or at_least_once."#),
        ("delivery: {token: abc}", #"Secrets don't belong in this file. Instead of "token""#),
        ("topic: a.b\n    delivery: {team: DEF123GHIJ}", #""delivery" needs the key "token_file"."#),
        ("topic: a.b\n    delivery: {token_file: none}", "There is no such file"),
        ("delivery: {token_file: hook.secret}", #""delivery" needs the key "bundle_id"."#),
        (
            "delivery: {token_file: hook.secret, bundle_id: a b}",
            #""bundle_id": The bundle id "a b" has a character that isn't allowed"#
        ),
        ("topic: a.b\n    delivery: {token_file: hook.secret, team: short}", #""team" must have ten letters"#),
        ("rate: 500", #""rate" is "500". Use a number for each second, minute or hour"#),
        ("rate: 0/s", #""rate" is "0/s"."#),
        ("per_device: 1", "A duration needs a unit"),
        ("gone: forget", #""gone" is "forget". Use skip, refuse or send."#),
        ("mismatch: on", #""mismatch" is "on". Use stop or off."#),
        ("topic: a b", #""topic": The topic "a b" has a character that isn't allowed in a bundle id."#),
        ("topic: a.*", #""topic": The topic "a.*" has a character"#),
        ("topics: [a.b, a.*]", #""topics": The topic "a.*" has a character"#),
        ("topic: \(String(repeating: "x", count: 600))", "The topic is 600 bytes, more than 512."),
        ("certificate: {file: shop.p12}", #"has both "key" and "certificate""#),
        ("webhook: {secrets_file: hook.secret}", #""webhook" needs the key "url"."#),
        ("webhook: {url: \"ftp://a\", secrets_file: hook.secret}", "Use a URL with https"),
        ("webhook: {url: \"https://a:b@c/\", secrets_file: hook.secret}", "without a password"),
        ("webhook: {url: \"https://::1:9/x\", secrets_file: hook.secret}", "needs brackets: [::1]:9."),
        ("webhook: {url: \"https://[::g]/x\", secrets_file: hook.secret}", "Use a URL with https"),
        ("webhook: {url: \"https://a\", secrets_file: hook.secret, events: [acepted]}", #"Did you mean "accepted"?"#),
        ("proxy: \"ftp://proxy\"", "proxy"),
    ])
    func `a mistake in an app has its location and what to do`(line: String, message: String) {
        let found = mistakes(Self.app + "    \(line)\n")
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("pushserve.yaml:\(5 + line.count { $0.isNewline }):") == true, "\(found)")
        #expect(found.first?.contains(message) == true, "\(found)")
    }

    @Test func `all mistakes are reported at once, in the order of the file`() {
        let found = mistakes(
            """
            metrics: 9090
            apps:
              shop:
                environment: prod
                key: {file: nowhere.p8, id: ABC, team: DEF123GHIJ}
                ttl: 24
            drian: 5s
            """)
        #expect(found.map { $0.split(separator: ":")[1] } == ["1", "4", "5", "5", "6", "7"])
    }

    @Test func `two apps of one name are refused with both lines`() {
        let found = mistakes(Self.app + "  shop:\n    environment: sandbox\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix(#"pushserve.yaml:5:3: "shop" occurs twice, also in line 2."#) == true, "\(found)")
    }

    @Test func `an app needs a server and credentials, and a name for URLs`() {
        #expect(
            mistakes("apps: {shop: {key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}}}")
                .contains { $0.contains(#"The app "shop" needs the key "environment"."#) })
        #expect(mistakes("apps: {shop: {environment: sandbox}}").contains { $0.contains("has no credentials") })
        #expect(
            mistakes(Self.app.replacing("shop", with: "\"the shop\"")).first?
                .contains("isn't a name for an app") == true)
        #expect(mistakes("apps:\n").first?.contains("There is no app.") == true)
        #expect(mistakes("").first?.contains("There is no app.") == true)
    }

    @Test func `text that is no YAML is refused with its location`() {
        #expect(mistakes("apps:\n\tshop:\n").first?.hasPrefix("pushserve.yaml:2:1: This isn't valid YAML") == true)
        #expect(mistakes("listen: a: b\n").first?.contains("a second colon in one line") == true)
    }

    @Test func `a file that only lacks other files has an exit code of its own`() throws {
        let missing = #expect(throws: ConfigMistakes.self) {
            try read(Self.app.replacing("AuthKey_ABC123DEFG.p8", with: "AuthKey_ZZZ123DEFG.p8"))
        }
        #expect(CommandFailure(try #require(missing)).status == .noSuchFile)
        let both = #expect(throws: ConfigMistakes.self) {
            try read("x: 1\n" + Self.app.replacing("AuthKey_ABC123DEFG.p8", with: "AuthKey_ZZZ123DEFG.p8"))
        }
        #expect(CommandFailure(try #require(both)).status == .badConfiguration)
    }

    @Test func `plain HTTP for the network is a warning`() throws {
        let configuration = try read("listen: 0.0.0.0:8080\n" + Self.app)
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.first?.message.contains("API keys can be read on the network") == true)
        #expect(configuration.warnings.first?.location == .file("pushserve.yaml", line: 1, column: 1))
    }

    // MARK: The environment

    @Test func `variables replace keys of the file`() throws {
        let configuration = try read(
            "listen: 127.0.0.1:1\n" + Self.app,
            ["PUSHSERVE_LISTEN": "0.0.0.0:8000", "PUSHSERVE_DATABASE": "/data/q.sqlite", "PUSHSERVE_METRICS": ""])
        #expect(configuration.listen == ListenAddress(host: "0.0.0.0", port: 8000))
        #expect(configuration.database == .file("/data/q.sqlite"))
        #expect(configuration.metrics == nil)
    }

    @Test func `a whole app can consist of variables`() throws {
        let variables = [
            "PUSHSERVE_APP": "shop", "PUSHSERVE_ENVIRONMENT": "production",
            "PUSHSERVE_KEY": ground.path("AuthKey_ABC123DEFG.p8"), "PUSHSERVE_TEAM_ID": "DEF123GHIJ",
            "PUSHSERVE_TOPIC": "com.example.shop", "PUSHSERVE_RATE": "10/s",
        ]
        let app = try #require(try read("", variables).apps.first)
        #expect(app.settings.environment == .production)
        #expect(app.settings.ratePerSecond == 10)
        #expect(app.location == .variable("PUSHSERVE_APP"))
        // A host replaces the word.
        let host = variables.merging(["PUSHSERVE_HOST": "mock", "PUSHSERVE_PORT": "2197"]) { $1 }
        #expect(try read("", host).apps.first?.settings.environment.description == "mock:2197")
    }

    @Test func `mistakes in variables have their name`() {
        let variables = [
            "PUSHSERVE_APP": "shop", "PUSHSERVE_ENVIRONMENT": "prod",
            "PUSHSERVE_KEY": ground.path("AuthKey_ABC123DEFG.p8"), "PUSHSERVE_TEAM_ID": "DEF123GHIJ",
        ]
        #expect(mistakes("", variables).first?.hasPrefix(#"PUSHSERVE_ENVIRONMENT: "environment" is "prod"."#) == true)
        #expect(
            mistakes("", ["PUSHSERVE_TOPIC": "a.b"]).first
                == "PUSHSERVE_TOPIC: This variable belongs to an app without a name. Set PUSHSERVE_APP to its name, too."
        )
        let twice = mistakes(Self.app, variables.merging(["PUSHSERVE_ENVIRONMENT": "sandbox"]) { $1 })
        #expect(
            twice == [
                #"PUSHSERVE_APP: The app "shop" exists already, at pushserve.yaml:2:3. Rename one of the two."#
            ])
    }

    @Test func `a public address is read, and a wrong one refused`() throws {
        #expect(try read("public_url: https://push.example.com\n" + Self.app).api.publicURL?.host == "push.example.com")
        #expect(
            mistakes("public_url: push.example.com\n" + Self.app).first?.contains("Write a scheme and a host") == true)
    }
}
