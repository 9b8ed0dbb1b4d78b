import Foundation
import PushPlatform
import TestSupport
import Testing

/// What the mock must survive: each attack comes from outside, over a real socket, while an honest client on another
/// connection goes on being served.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct MockAttackTests {
    /// An attack, and the limit that ends it.
    struct Manner: Sendable, CustomTestStringConvertible {
        var name: String
        var limit: String
        /// Tight ones, so that no machine is too slow to go beyond them.
        var flags: [String] = []

        var testDescription: String { name }
    }

    private static let fewResets = ["--limit", "resets-at-once=200", "--limit", "resets-per-second=1"]
    private static let fewIdleFrames = ["--limit", "idle-frames-at-once=200", "--limit", "idle-frames-per-second=1"]

    /// Each SETTINGS frame waits for its acknowledgement, so a slow machine would reach that limit first.
    private static let manyAnswers = ["--limit", "waiting-answers=1000000"]

    static let manners = [
        // CVE-2023-44487
        Manner(name: "rapid-reset", limit: "resets-per-second", flags: fewResets),
        // CVE-2025-8671
        Manner(name: "made-you-reset", limit: "resets-per-second", flags: fewResets),
        // CVE-2024-28182
        Manner(name: "continuation-flood", limit: "continuations"),
        // CVE-2019-9512, CVE-2019-9515, CVE-2019-9513, CVE-2019-9518
        Manner(name: "ping-flood", limit: "idle-frames-per-second", flags: fewIdleFrames + manyAnswers),
        Manner(name: "settings-flood", limit: "idle-frames-per-second", flags: fewIdleFrames + manyAnswers),
        Manner(name: "priority-flood", limit: "idle-frames-per-second", flags: fewIdleFrames),
        Manner(name: "empty-data", limit: "idle-frames-per-second", flags: fewIdleFrames),
        Manner(name: "ping-burst", limit: "waiting-answers"),
        Manner(name: "settings-burst", limit: "waiting-answers"),
        Manner(name: "header-bomb", limit: "resets-per-second", flags: fewResets),
        Manner(name: "endless-body", limit: "request-bytes", flags: ["--limit", "request-bytes=1000000"]),
        Manner(
            name: "unfinished-bodies", limit: "unfinished-bytes", flags: ["--limit", "unfinished-bytes=1000000"]),
        Manner(name: "never-ending-request", limit: "request-time", flags: ["--limit", "request-time=200ms"]),
        Manner(name: "closed-window", limit: "unread-time", flags: ["--limit", "unread-time=200ms"]),
        Manner(name: "silence-before-preface", limit: "handshake-time", flags: ["--limit", "handshake-time=5s"]),
    ]

    @Test(arguments: manners)
    func `an attack ends with a message, and other clients do not notice it`(manner: Manner) async throws {
        try await RunningMock.with(["--quiet"] + manner.flags) { mock in
            let before = try mock.peakMemory()
            let attack = try await mock.attack(manner.name)
            #expect(attack.isClosed)
            #expect(attack.code == Attack.calm)
            #expect(attack.goAway?.contains("--limit \(manner.limit)=") == true, "\(attack)")
            #expect(try mock.peakMemory() - before < 64)
            #expect(await mock.notice(with: "\"\(manner.limit)\"") != nil)
        }
    }

    /// What is too long is reset by itself, and its connection goes on.
    @Test func `a request with too many header fields is reported in the log`() async throws {
        try await RunningMock.with(["--quiet"]) { mock in
            let long = (0..<20).map { "x-\($0): \(String(repeating: "v", count: 1000))" }
            let answer = try await mock.curl(headers: RunningMock.usualHeaders + long)
            #expect(answer.status == 0)
            let notice = await mock.notice(with: "\"header-bytes\"")
            #expect(notice?.contains("16384") == true)
        }
    }

    @Test func `a client that connects and is silent is hung up on`() async throws {
        try await RunningMock.with(["--quiet", "--limit", "handshake-time=5s"]) { mock in
            let attack = try await mock.attack("silence-before-tls")
            #expect(attack.isClosed)
            #expect(await mock.notice(with: "\"handshake-time\"") != nil)
        }
    }

    @Test(arguments: ["garbage-for-tls", "garbage-for-http2", "garbage-without-alpn"])
    func `garbage is no danger`(manner: String) async throws {
        try await RunningMock.with(["--quiet"]) { mock in
            let before = try mock.peakMemory()
            let attack = try await mock.attack(manner)
            #expect(attack.isClosed)
            #expect(try mock.peakMemory() - before < 128)
        }
    }

    @Test func `the log is written sparingly when thousands of connections end badly`() async throws {
        try await RunningMock.with(["--quiet"]) { mock in
            let clock = ContinuousClock()
            let begun = clock.now
            // Two hundred connections each time.
            for _ in 0..<3 { _ = try await mock.attack("garbage-for-tls") }
            #expect(await mock.notice(with: " notice mock: ") != nil)
            // A hundred at once, and ten in each second.
            let notices = mock.program.errors.text.split(separator: "\n").count
            #expect(Double(notices) < 110 + 10 * ((clock.now - begun) / .seconds(1)))
        }
    }

    // MARK: Many connections

    private static let maximumFiles: Int = {
        var limit = rlimit()
        getrlimit(SystemLimit.openFiles.resource, &limit)
        return Int(clamping: limit.rlim_max)
    }()

    @Test(.enabled("this system lets nobody open 2500 files", { maximumFiles >= 2500 }))
    func `two thousand connections at a time are served`() async throws {
        try await RunningMock.with(["--quiet"]) { mock in
            let attack = try await mock.attack("connections", count: 2000)
            #expect(attack.opened == 2000)
            // A debug build, with TLS and HTTP/2 on each of them.
            #expect(try mock.peakMemory() < 600)
        }
    }

    @Test func `more connections than are allowed are closed at once, and one that ends makes room`() async throws {
        try await RunningMock.with(["--quiet", "--limit", "connections=20"]) { mock in
            let attack = try await mock.attack("connections", count: 50)
            // The honest client has one.
            #expect(attack.opened == 19)
            #expect(attack.refused == 31)
            // The mock may notice a moment later that they have ended.
            var status = 0
            for _ in 0..<100 where status != 200 { status = try await mock.curl().status }
            #expect(status == 200)
            let notice = await mock.notice(with: "\"connections\"")
            #expect(notice?.contains("closed immediately") == true)
        }
    }

    @Test func `idle connections to the API do not take the files that the mock needs`() async throws {
        try await RunningMock.with(["--quiet"], openFiles: 100) { mock in
            let console = try #require(mock.ready["console_url"]?.string)
            let address = console.replacing("http://", with: "").replacing(":", with: "/")
            // Dispatch opens a file each second, and ends the process if it cannot.
            let script = """
                ulimit -n 1024
                for file in $(seq 10 210); do eval "exec $file<>/dev/tcp/\(address)" || exit 3; done
                for number in 1 2 3 4; do
                    curl -sS --max-time 250 --noproxy '*' -o /dev/null -w '%{http_code} ' \(console)/v1/pushes
                    sleep 1
                done
                """
            let ended = try await mock.workspace.run(["bash", "-c", script])
            #expect(ended.output == "200 200 200 200 ", "\(ended.errors)")
            #expect(try await mock.curl().status == 200)
        }
    }

    @Test func `without file descriptors it waits until some are free, says so, and does not spin`() async throws {
        try await RunningMock.with(["--quiet"], openFiles: 40) { mock in
            let clock = ContinuousClock()
            let begun = clock.now
            async let attack = mock.attack("silent-connections", count: 100)
            _ = await mock.program.errors.line(with: "too many open files")
            try mock.workspace.write("", to: "release")
            _ = try await attack
            #expect(try await mock.curl().status == 200)
            let notice = await mock.notice(with: "too many open files")
            #expect(notice?.contains("ulimit -n") == true)
            // It looks again every tenth of a second, and notes each time that it could not accept a connection.
            let notices = mock.program.errors.text.split(separator: "\n").count { $0.contains("too many open files") }
            #expect(Double(notices) < 10 + 10 * ((clock.now - begun) / .seconds(1)))
        }
    }
}
