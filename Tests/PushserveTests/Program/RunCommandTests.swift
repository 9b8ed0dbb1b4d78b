import Foundation
import Testing

/// The life of `pushserve run`: ready, reload, end.
@Suite struct RunCommandTests {
    private let ground: Ground

    init() throws {
        ground = try Ground()
    }

    private func started(_ arguments: String...) async throws -> StartedProgram {
        let program = try ground.start(["run", "--json"] + arguments)
        _ = try #require(await program.output.line(with: #""event":"ready""#))
        return program
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends the service in order`(signal: Int32) async throws {
        try ground.configure()
        let program = try await started()
        program.signal(signal)
        let ended = await program.end()
        #expect(ended.status == 0)
        #expect(ended.errors.contains("The service has ended."))
        #expect(ended.objects.first?["database"] as? String == ground.path("queue.sqlite"))
        let mode = try FileManager.default.attributesOfItem(atPath: ground.path("queue.sqlite"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `SIGHUP reads the configuration again`() async throws {
        try ground.configure()
        let program = try await started()
        try ground.configure(
            "  news:\n    environment: sandbox\n    key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}")
        program.signal(SIGHUP)
        let line = await program.errors.line(with: "The configuration was read again.")
        #expect(line?.contains("added=news apps=2") == true, "\(line ?? "")")
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `a wrong configuration is refused at SIGHUP, and the old one stays`() async throws {
        try ground.configure()
        let program = try await started()
        try ground.configure("    ttll: 2h")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: #"pushserve.yaml:8:5: Unknown key "ttll"."#) != nil)
        #expect(await program.errors.line(with: "The configuration was not changed") != nil)
        try ground.configure("    ttl: 2h")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: "The configuration was read again.") != nil)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `a change that needs a restart is told`() async throws {
        try ground.configure()
        let program = try await started()
        try ground.configure(database: "other.sqlite")
        program.signal(SIGHUP)
        let line = await program.errors.line(with: "takes effect at the next start")
        #expect(line?.contains("key=database") == true)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `systemd is told when the service is ready and when it ends`() async throws {
        try ground.configure()
        let socket = try NotifySocket(ground.path("notify"))
        let program = try ground.start(["run"], environment: ["NOTIFY_SOCKET": ground.path("notify")])
        #expect(socket.next().hasPrefix("READY=1"))
        program.signal(SIGHUP)
        #expect(socket.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(socket.next().hasPrefix("READY=1"))
        program.signal(SIGTERM)
        #expect(socket.next().hasPrefix("STOPPING=1"))
        #expect(await program.end().status == 0)
    }

    @Test func `the help and the version are on standard output`() async throws {
        for arguments in [["--help"], ["run", "--help"], ["queue", "purge", "--help"], ["help", "key", "create"]] {
            let ended = try await ground.start(arguments).end()
            #expect(ended.status == 0)
            #expect(ended.output.hasPrefix("OVERVIEW: "))
            #expect(ended.errors.isEmpty)
        }
        let version = try await ground.pushserve("--version")
        #expect(version.output.hasPrefix("0."))
        let completion = try await ground.pushserve("--generate-completion-script", "bash")
        #expect(completion.output.hasPrefix("#!/bin/bash"))
    }
}

/// A socket like that of systemd.
private final class NotifySocket {
    private let descriptor: Int32

    struct CannotBind: Error {}

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw CannotBind() }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // A message that does not come must not hang the test.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard result == 0 else { throw CannotBind() }
    }

    deinit {
        close(descriptor)
    }

    /// Waits for the next message; empty if none comes.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
