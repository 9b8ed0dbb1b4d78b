import Foundation
import PushCommandLine
import TestSupport
import Testing

/// The life of `pushserve run`: ready, reload, end.
@Suite struct RunCommandTests {
    private let ground: Ground

    init() throws {
        ground = try Ground()
    }

    private func started(_ arguments: String...) async throws -> RunningProgram {
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

    @Test func `the addresses of free ports are reported with the ports that the service got`() async throws {
        try ground.configure("metrics: 127.0.0.1:0")
        let program = try await started()
        program.signal(SIGTERM)
        let ready = try #require(await program.end().objects.first)
        for name in ["listen", "metrics"] {
            let address = try #require(ready[name] as? String)
            #expect(address.wholeMatch(of: /127\.0\.0\.1:[1-9]\d*/) != nil, "\(name): \(address)")
        }
    }

    @Test func `SIGHUP reads the configuration again`() async throws {
        try ground.configure()
        let program = try await started()
        try ground.configure(
            "  news:\n    environment: sandbox\n    key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}")
        program.signal(SIGHUP)
        let line = await program.errors.line(with: "The configuration was reloaded.")
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
        #expect(await program.errors.line(with: "The configuration wasn't changed") != nil)
        try ground.configure("    ttl: 2h")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: "The configuration was reloaded.") != nil)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `a change that needs a restart is reported`() async throws {
        try ground.configure()
        let program = try await started()
        try ground.configure(database: "other.sqlite")
        program.signal(SIGHUP)
        let line = await program.errors.line(with: "takes effect at the next start")
        #expect(line?.contains("key=database") == true)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    @Test func `a change that needs a restart is reported until the restart`() async throws {
        try ground.configure()
        let program = try await started()
        func reload(_ database: String, app: String) async throws {
            try ground.configure(
                database: database,
                "  \(app):\n    environment: sandbox\n    key: {file: AuthKey_ABC123DEFG.p8, team: DEF123GHIJ}")
            program.signal(SIGHUP)
            #expect(await program.errors.line(with: "added=\(app) ") != nil)
        }
        try await reload("other.sqlite", app: "one")
        try await reload("other.sqlite", app: "two")
        try await reload("queue.sqlite", app: "three")
        program.signal(SIGTERM)
        let warnings = await program.end().errorLines.count { $0.contains("takes effect at the next start") }
        #expect(warnings == 2)
    }

    // MARK: Webhooks

    private static let webhook = "    webhook: {url: \"https://example.com/hook\", secrets_file: hook.secret}"

    @Test func `secrets that cannot be used stop a start, and are refused at SIGHUP`() async throws {
        try ground.configure(Self.webhook)
        try ground.write("not a secret\n", to: "hook.secret")
        let refused = try await ground.pushserve("run")
        #expect(refused.status == 78)
        #expect(refused.errors.contains("pushserve.yaml:8:"), "\(refused.errors)")
        #expect(refused.errors.contains("openssl rand"))
        #expect(!refused.errors.contains("not a secret"))

        try ground.write("whsec_\(Data(repeating: 7, count: 32).base64EncodedString())\n", to: "hook.secret")
        let program = try await started()
        try ground.write("not a secret\n", to: "hook.secret")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: "The configuration wasn't changed") != nil)
        program.signal(SIGTERM)
        let ended = await program.end()
        #expect(ended.status == 0)
        #expect(ended.errors.contains("pushserve.yaml:8:"))
        #expect(!ended.errors.contains("The configuration was reloaded."))
    }

    // MARK: HTTPS

    @Test func `a renewed certificate is used after SIGHUP, and a broken one is not`() async throws {
        let path = try ground.configure()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try ground.write(text + "\ntls: {certificate: tls.pem, key: tls.key}\n", to: "pushserve.yaml")
        try await makeCertificate("first")
        try await makeCertificate("second")
        try use("first")
        let program = try ground.start(["run", "--json"])
        let line = try #require(await program.output.line(with: #""event":"ready""#))
        let ready = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let port = try #require(ready?["port"] as? Int)
        let first = try await served(port)
        #expect(first.contains("BEGIN CERTIFICATE"))

        try use("second")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: "A new certificate for HTTPS is used") != nil)
        let second = try await served(port)
        #expect(second.contains("BEGIN CERTIFICATE"))
        #expect(second != first)

        try ground.copy("first.key", to: "tls.key")
        program.signal(SIGHUP)
        #expect(await program.errors.line(with: "doesn't belong to the certificate") != nil)
        #expect(try await served(port) == second)
        program.signal(SIGTERM)
        #expect(await program.end().status == 0)
    }

    private func makeCertificate(_ name: String) async throws {
        let made = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(name).key", "-out",
            "\(name).pem")
        #expect(made.status == 0, "\(made.errors)")
    }

    private func use(_ name: String) throws {
        for ending in ["pem", "key"] { try ground.copy("\(name).\(ending)", to: "tls.\(ending)") }
    }

    /// The certificate that a new connection gets.
    private func served(_ port: Int) async throws -> String {
        let ended = try await run(
            "python3", "-c", "import ssl; print(ssl.get_server_certificate(('127.0.0.1', \(port))))")
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.output
    }

    private func run(_ words: String...) async throws -> Ended {
        let program = try ground.start(tool: words)
        return await program.end()
    }

    // MARK: Surroundings

    @Test func `systemd is notified when the service is ready and when it ends`() async throws {
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
        #expect(version.output.hasPrefix(ProgramVersion.number))
        let completion = try await ground.pushserve("--generate-completion-script", "bash")
        #expect(completion.output.hasPrefix("#!/bin/bash"))
    }
}

extension Ground {
    fileprivate func copy(_ name: String, to copy: String) throws {
        try write(try String(contentsOfFile: path(name), encoding: .utf8), to: copy)
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
        var limit = timeval(tv_sec: 600, tv_usec: 0)
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
