import Foundation
import MockAPNs
import PushProvider
import TestSupport
import Testing

/// A campaign that is killed at random moments, again and again, and held against what the mock has taken.
@Suite(.takingTurns) struct BatchKillTests {
    private static let faults = [
        // Taken, and never answered.
        MockFault(name: "lost answer", when: MockFault.Matcher(probability: 0.01), steps: [.judge, .noAnswer]),
        // Taken, and the stream reset.
        MockFault(
            name: "reset", when: MockFault.Matcher(probability: 0.01), steps: [.judge, .resetStream(.internalError)]),
        MockFault(name: "refused", when: MockFault.Matcher(probability: 0.02), steps: [.resetStream(.refusedStream)]),
        MockFault(
            name: "gone", when: MockFault.Matcher(probability: 0.02),
            steps: [.answer(status: 410, reason: .unregistered, timestamp: Date(timeIntervalSince1970: 1_700_000_000))]),
        MockFault(
            name: "busy", when: MockFault.Matcher(probability: 0.01),
            steps: [.answer(status: 503, reason: .serviceUnavailable)]),
        MockFault(name: "goaway", when: MockFault.Matcher(match: .every(1500)), steps: [.goAway(.this)]),
        MockFault(
            name: "cut", when: MockFault.Matcher(match: .every(2500)), steps: [.judge, .closeConnection(.tcpReset)]),
    ]

    @Test(.timeLimit(.minutes(60))) func `killed fifty times, no line goes out twice, and each has one outcome`()
        async throws
    {
        try await CampaignGround.with(Self.faults) { ground in
            let tokens = (0..<24_000).map { CampaignGround.token($0) }
            try ground.workspace.write(tokens.joined(separator: "\n"), to: "lines")
            let command = ["lines", "-m", "Hello", "--timeout", "2s"]
            try await Self.campaign(on: ground, command, of: tokens.count, kills: 50, rate: 500)
            try await Self.reconcile(ground, Set(tokens), mayDouble: false)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `asked to send at least once, nothing stays unknown that was interrupted`()
        async throws
    {
        // Without answers that never come no deadline passes: what is sent again is not kept back by one.
        try await CampaignGround.with(Self.faults.filter { $0.name != "lost answer" }) { ground in
            let tokens = (0..<8000).map { CampaignGround.token($0) }
            // Records over several lines, and a second file: there it goes on in the middle.
            for (name, part) in [("lines", tokens[..<800]), ("more", tokens[800...])] {
                let records = part.map { "\"two\nlines\",\($0)" }
                try ground.workspace.write("name,token\n" + records.joined(separator: "\n"), to: name)
            }
            let command = ["lines", "more", "-m", "Hello {{name}}", "--at-least-once", "--timeout", "5m"]
            try await Self.campaign(on: ground, command, of: tokens.count, kills: 15, rate: 300)
            try await Self.reconcile(ground, Set(tokens), mayDouble: true)
            #expect(ground.mock.arrivals.allSatisfy { $0.payload.contains(#"Hello two\u000alines"#) })
        }
    }

    /// In `Formats` is what `kill -9` left of a campaign of pushsend 0.9.0 with 40 lines: 21 had an outcome, one was on its way.
    @Test func `a campaign that version 0.9.0 left half done goes on, and sends nothing twice`() async throws {
        let workspace = try Workspace()
        let folder = Repository.url("Tests/EndToEndTests/Formats/campaign-0.9.0").path()
        try await workspace.prepare("cp -R \(folder)/. . && chmod -R u+w people.csv.pushsend")
        let requests = try await RunningMock.with(in: workspace) { _ in
            let text = ["--payload", #"{"aps":{"alert":"Hello {{name|there}}"}}"#, "--topic", RunningMock.topic]
            let ended = try await workspace.pushsend(["batch", "people.csv", "--mock", "--state", "mock"] + text)
            #expect(
                ended.status == 76 && ended.errors.contains("21 lines already have their outcomes"), "\(ended.errors)")
        }
        let outcomes = try workspace.read("people.csv.pushsend/results.jsonl").split(separator: "\n").map {
            JSON(parsing: String($0))
        }
        #expect(outcomes.count == 40 && Set(outcomes.map { $0["token"]?.string }).count == 40)
        #expect(outcomes.count { $0["outcome"] == "accepted" } == 39)
        let rest = outcomes.suffix(19).filter { $0["outcome"] == "accepted" }
        #expect(requests.count == 18)
        #expect(Set(requests.map { $0["token"]?.string }) == Set(rest.map { $0["token"]?.string }))
    }

    private static func campaign(
        on ground: CampaignGround, _ flags: [String], of lines: Int, kills: Int, rate: Int
    ) async throws {
        // Even if each kill makes all lines of the window unknown, most lines are accepted.
        let command = flags + ["--window", "150", "--connections", "2"]
        var killed = 0
        while killed < kills {
            let moment = KillMoment.random(on: ground)
            // Slow enough, and with lines enough, that it is killed often before it is over. On a busy machine it gets further
            // between two kills: then it goes on more slowly, so that the lines last.
            let left = (lines - ground.mock.arrivalCount) / (kills - killed)
            let program = try ground.start(command + ["--rate", "\(max(20, min(rate, left)))/s"])
            await moment.come(on: ground, unless: { !program.isRunning })
            program.kill()
            let ended = await program.end()
            // Over before it was killed, perhaps with lines that are unknown since another kill.
            if [0, 76].contains(ended.status) { break }
            try #require(ended.status == -9, "It ended with \(ended.status): \(ended.errors)")
            killed += 1
        }
        #expect(killed * 2 >= kills, "It was over after \(killed) kills.")
        let last = try await ground.start(command + ["--json"]).end()
        let unknown = last.json["totals"]?["unknown"]?.integer ?? 0
        #expect(last.status == (unknown > 0 ? 76 : 0), "\(last.errors)")
        #expect(last.json["finished"] == true)
        #expect(last.json["before"]?.integer ?? 0 > 0)
    }

    /// Holds every result against what the mock has taken.
    private static func reconcile(_ ground: CampaignGround, _ tokens: Set<String>, mayDouble: Bool) async throws {
        let results = try ground.results("lines.pushsend")
        #expect(Set(results.compactMap { $0["token"]?.string }) == tokens)
        #expect(results.count == tokens.count, "A line has two outcomes.")
        let taken = await ground.takenByToken()
        var words: [String: Int] = [:]
        for result in results {
            let token = result["token"]?.string ?? ""
            let outcome = result["outcome"]?.string ?? ""
            let count = taken[token] ?? 0
            words["\(outcome) \(result["reason"]?.string ?? "")", default: 0] += 1
            #expect(mayDouble || count <= 1, "\(token) was taken \(count) times: \(result)")
            switch outcome {
            case "accepted": #expect(count >= 1, "\(result)")
            case "rejected", "not_sent": #expect(mayDouble || count == 0, "\(result)")
            default: #expect(outcome == "unknown")
            }
            if mayDouble { #expect(result["reason"]?.string != "interrupted") }
        }
        print("killed: \(words)")
        let unknown = try ground.workspace.read("lines.pushsend/unknown.jsonl").split(separator: "\n").count
        #expect(unknown == results.count { $0["outcome"]?.string == "unknown" })
        #expect(words["accepted "] ?? 0 > tokens.count / 2)
    }
}

/// When a campaign is killed. The files of its folder must be true at any of these moments.
private enum KillMoment {
    /// It has only been started.
    case start
    /// The mock has received this number of requests in total.
    case arrivals(Int)
    /// A file of its folder has this length.
    case bytes(file: String, Int)

    /// A moment shortly after now.
    static func random(on ground: CampaignGround) -> KillMoment {
        let file = ["journal", "results.jsonl"].randomElement() ?? "journal"
        return switch Int.random(in: 0..<10) {
        case 0: .start
        case 1...4: .arrivals(ground.mock.arrivalCount + .random(in: 1...120))
        // A mark, or some outcomes; and a line of results has some 200 bytes.
        default: .bytes(file: file, size(file, ground) + .random(in: 1...(file == "journal" ? 200 : 20_000)))
        }
    }

    func come(on ground: CampaignGround, unless hasEnded: () -> Bool) async {
        while !hasCome(ground), !hasEnded() {
            // Between two looks: a loop without a pause would take a processor from what it looks at.
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private func hasCome(_ ground: CampaignGround) -> Bool {
        switch self {
        case .start: true
        case .arrivals(let count): ground.mock.arrivalCount >= count
        case .bytes(let file, let count): Self.size(file, ground) >= count
        }
    }

    private static func size(_ file: String, _ ground: CampaignGround) -> Int {
        let path = ground.workspace.path("lines.pushsend/\(file)")
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
