import APNSVocabulary
import Foundation
import MockAPNs
import NIOConcurrencyHelpers
import TestSupport
import Testing

/// A mock in this process, with faults in it, and a folder in which `pushsend batch` sends to it.
final class CampaignGround: Sendable {
    let workspace: Workspace
    let mock: MockServer
    /// How often APNs has taken a push for each device token.
    private let taken = NIOLockedValueBox<[String: Int]>([:])
    private let seen = NIOLockedValueBox(0)

    private init(_ workspace: Workspace, _ mock: MockServer) {
        self.workspace = workspace
        self.mock = mock
    }

    static func with(_ faults: [MockFault] = [], _ body: (CampaignGround) async throws -> Void) async throws {
        let workspace = try Workspace()
        let credentials = try MockCredentials.kept(in: workspace.path("keys"), names: [])
        var configuration = MockConfiguration()
        configuration.limits = .lifted
        // On a busy machine, the reader of the log may be far behind. The log must not drop what it has not read.
        configuration.logCount = 200_000
        configuration.logBytes = 1 << 30
        let mock = try await MockServer.start(configuration, credentials: credentials)
        let ground = CampaignGround(workspace, mock)
        let reading = Task { await ground.readLog() }
        do {
            for fault in faults { try mock.inject(fault) }
            try await body(ground)
        } catch {
            await mock.stop()
            throw error
        }
        await mock.stop()
        await reading.value
    }

    private func readLog() async {
        var next = 1
        while let arrivals = await mock.arrivals(from: next, atMost: 1000), let last = arrivals.last {
            next = last.number + 1
            taken.withLockedValue { taken in
                for arrival in arrivals where arrival.verdict.isAccepted { taken[arrival.deviceToken, default: 0] += 1 }
            }
            seen.withLockedValue { $0 = last.number }
        }
    }

    /// How often APNs has taken a push for each device token, when all that has arrived is counted.
    func takenByToken() async -> [String: Int] {
        while seen.withLockedValue({ $0 }) < mock.arrivalCount { try? await Task.sleep(for: .milliseconds(1)) }
        return taken.withLockedValue { $0 }
    }

    // MARK: Sending

    /// Where to and with what, as flags.
    var usual: [String] {
        let files = mock.credentials.files
        return [
            "--endpoint", "127.0.0.1:\(mock.port)", "--cacert", files?.authority ?? "", "--key", files?.p8 ?? "",
            "--key-id", mock.credentials.keyID, "--team-id", mock.credentials.teamID, "--topic", RunningMock.topic,
        ]
    }

    /// Starts `pushsend batch`; the last flags take the place of the usual ones.
    func start(_ flags: [String], input: String = "", instead others: [String] = []) throws -> RunningProgram {
        try workspace.startPushsend(["batch"] + flags + usual + others, input: input, limit: .seconds(300))
    }

    /// With lines that come one by one, from somebody who may keep silent.
    func start(_ flags: [String], from writer: SlowWriter, linesRead: Int = .max) throws -> RunningProgram {
        try workspace.start(
            BuiltProgram.pushsend, ["batch"] + flags + usual, from: writer.pipe.fileHandleForReading,
            linesRead: linesRead, limit: .seconds(300))
    }

    func batch(_ flags: String..., input: String = "") async throws -> Ended {
        let ended = try await start(flags, input: input).end()
        #expect(!ended.wasTooSlow)
        #expect(workspace.secrets(in: ended).isEmpty)
        return ended
    }

    /// Runs `pushsend batch` with its results on a disk of a few megabytes, which must get full. Returns the results.
    func batch(_ flags: [String], onDiskOf megabytes: Int) async throws -> (ended: Ended, results: [JSON]) {
        try await workspace.prepare("mkdir disk kept")
        let flags = (["batch"] + flags + ["--out", "disk/out"] + usual).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            mount -t tmpfs -o size=\(megabytes)m none disk && '\(BuiltProgram.pushsend.path())' \(flags); status=$?; \
            cp -R disk/out kept/; exit $status
            """
        let ended = try await workspace.run(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], limit: .seconds(300))
        #expect(ended.status == 74, "\(ended.errors)")
        #expect(ended.errors.contains("No space left"))
        return (ended, try results("kept/out"))
    }

    // MARK: Afterwards

    func results(_ folder: String) throws -> [JSON] {
        try workspace.read("\(folder)/results.jsonl").split(separator: "\n").map { JSON(parsing: String($0)) }
    }

    /// A device token that is a number.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}

/// Somebody who writes the lines of a campaign into a pipe, and takes time for it.
final class SlowWriter: Sendable {
    // Its reading end stays open here: whoever writes to a program that has ended must not be ended by it.
    let pipe = Pipe()

    init() {
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Writes the device tokens of these numbers, a line each.
    func write(_ numbers: ClosedRange<Int>) throws {
        try pipe.fileHandleForWriting.write(contentsOf: Self.lines(numbers))
    }

    func close() throws {
        try pipe.fileHandleForWriting.close()
    }

    static func lines(_ numbers: ClosedRange<Int>) -> Data {
        Data(numbers.map { CampaignGround.token($0) + "\n" }.joined().utf8)
    }
}
