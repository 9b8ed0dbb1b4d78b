import NIOConcurrencyHelpers
package import PushPlatform

/// A PostgreSQL server in a folder of its own. It ends with this object or with the process, however that ends.
package final class PostgresServer: Sendable {
    /// Whether this machine has PostgreSQL. Without it, the tests are skipped.
    package static let isInstalled = programs != nil

    /// The one server of the process; `nil` if PostgreSQL is not installed.
    package static func shared() throws -> PostgresServer? {
        isInstalled ? try started.get() : nil
    }

    package static let user = "queue"
    package static let password = "secret"

    package let port: Int
    /// The folder with the Unix socket, the data and the log.
    package let folder: String
    /// The process of the server.
    package let id: pid_t
    private let watcher: PostgresWatcher
    private let schemas = NIOLockedValueBox(0)

    private static let started = Result {
        let server = try PostgresServer()
        atexit { PostgresServer.endShared() }
        return server
    }

    private static func endShared() {
        if case .success(let server) = started { server.watcher.end() }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - settings: More settings, for example `["ssl=on"]`.
    ///   - files: Files in ``folder``, which only the server may read.
    ///   - isStandby: Whether it is a standby, which accepts no writes.
    ///   - source: The server from whose backup it starts.
    /// - Throws: What went wrong.
    package init(
        settings: [String] = [], files: [String: [UInt8]] = [:], isStandby: Bool = false, source: PostgresServer? = nil
    ) throws {
        guard let programs = Self.programs else { throw CannotStart(program: "initdb", reason: "not installed") }
        let source = source.map { "host=\($0.folder) port=\($0.port) user=\(Self.user)" } ?? ""
        var tries = 0
        while true {
            let folder = try Self.makeFolder()
            for (name, bytes) in files { try Self.write(bytes, to: "\(folder)/\(name)") }
            let held = try HeldPort()
            held.letGo()
            tries += 1
            let watcher: PostgresWatcher
            do {
                watcher = try PostgresWatcher(
                    programs: programs, folder: folder, port: held.number, settings: settings, isStandby: isStandby,
                    source: source)
            } catch let error as CannotStart where tries < 5 && error.reason.contains(Self.portIsTaken) {
                continue
            }
            (self.folder, port, self.watcher, id) = (folder, held.number, watcher, watcher.server)
            return
        }
    }

    /// What the server says if somebody else took its port in the meantime.
    private static let portIsTaken = "could not create any TCP/IP sockets"

    deinit { watcher.end() }

    /// Ends the server, as if its machine was lost.
    package func end() { watcher.end() }

    /// The address of a queue in a schema. The schema need not exist.
    package func address(schema: String) -> String {
        "postgres://\(Self.user):\(Self.password)@127.0.0.1:\(port)/postgres?schema=\(schema)"
    }

    /// The name of a schema that no other test uses. It does not exist yet.
    package func newSchema() -> String {
        let number = schemas.withLockedValue { number in
            number += 1
            return number
        }
        return "queue_\(number)"
    }

    /// The folder with initdb and pg_ctl, with a "/" behind it; empty if they are in the PATH.
    private static let programs: String? = {
        // Debian has a folder for each version.
        for version in (14...30).reversed() {
            let folder = "/usr/lib/postgresql/\(version)/bin/"
            if access(folder + "initdb", X_OK) == 0 { return folder }
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/initdb", X_OK) == 0 } ? "" : nil
    }()

    /// A folder of the user who runs the server. It is in /tmp, whatever TMPDIR says: paths of sockets have at most 107 bytes, and the
    /// user postgres must be able to enter it.
    private static func makeFolder() throws -> String {
        // mkdtemp fills in the six X.
        var template = Array("/tmp/push-postgres-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CannotStart(program: "mkdtemp", reason: "errno \(errno)") }
        let folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        give(folder)
        return folder
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CannotStart(program: "open", reason: "\(path): errno \(errno)") }
        defer { close(file) }
        guard PushPlatform.write(file, bytes, bytes.count) == bytes.count else {
            throw CannotStart(program: "write", reason: "\(path): errno \(errno)")
        }
        give(path)
    }

    /// Gives a file to the user who runs the server: initdb refuses root.
    private static func give(_ path: String) {
        guard getuid() == 0, let user = getpwnam("postgres") else { return }
        chown(path, user.pointee.pw_uid, user.pointee.pw_gid)
    }
}
