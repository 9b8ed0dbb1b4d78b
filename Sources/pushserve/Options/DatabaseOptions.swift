import APNSVocabulary
import ArgumentParser
import PushCommandLine
import PushDelivery
import PushPlatform
import PushQueue
import PushQueuePostgres
import PushService
import PushTime

struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The database: a file, or an address such as postgres://USER@HOST/DATABASE. Default: PUSHSERVE_DATABASE, or the database \
            of the configuration.
            """,
            valueName: "file-or-address"),
        completion: .file())
    var database: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file that names the database. Default: PUSHSERVE_CONFIG, pushserve.yaml, or /etc/pushserve/pushserve.yaml.",
            valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// Where the database is.
    ///
    /// - Throws: `QueueError` if the address has a mistake; ``CommandFailure`` if the configuration is needed and has mistakes.
    func location() throws -> QueueLocation {
        let here = FileManager.default.currentDirectoryPath
        let given = database ?? (config == nil ? Variables.ofProcess[set: "PUSHSERVE_DATABASE"] : nil)
        if let given { return try QueueLocation(given, in: here) }
        return try ServiceConfiguration.load(option: config).database
    }

    /// The names of the configured apps.
    ///
    /// - Returns: The names; `nil` if no configuration is read.
    /// - Throws: ``CommandFailure`` if the configuration has mistakes.
    func appNames() throws -> [String]? {
        guard namesConfiguration else { return nil }
        return try ServiceConfiguration.load(option: config).settings.map(\.name)
    }

    /// Whether a configuration is named, or nothing else is.
    private var namesConfiguration: Bool {
        config != nil || Variables.ofProcess[set: "PUSHSERVE_CONFIG"] != nil
            || Variables.ofProcess[set: "PUSHSERVE_DATABASE"] == nil
    }

    /// Whether the inboxes are known: not if only a database is given.
    var knowsInboxes: Bool { database == nil && namesConfiguration }

    /// Runs a body with the inboxes of the configuration, as far as they are known.
    func withInboxes<Value>(_ body: ([PostgresInbox]) async throws -> Value) async throws -> Value {
        guard knowsInboxes else { return try await body([]) }
        let inboxes = try ServiceConfiguration.load(option: config).inboxSettings().map(\.inbox)
        return try await closing {
            for inbox in inboxes { await inbox.close() }
        } after: {
            try await body(inboxes)
        }
    }

    /// Opens the database. A running service may have it open.
    private func open(createsFile: Bool) async throws -> any QueueBackend {
        let location = try location()
        if let path = location.path, !createsFile, access(path, F_OK) != 0 {
            throw CommandFailure(
                .noSuchFile,
                """
                There is no database "\(path.printable)". The service creates it when it runs. To use another \
                one, give --database.
                """)
        }
        return try await location.open(createsTables: createsFile)
    }

    /// Opens the database for the time of a command.
    ///
    /// - Parameters:
    ///   - createsFile: Whether the file is created if it does not exist.
    ///   - body: What the command does.
    /// - Throws: What opening the database throws, or the body.
    func with(createsFile: Bool = false, _ body: (any QueueBackend) async throws -> Void) async throws {
        let queue = try await open(createsFile: createsFile)
        try await closing(queue.close) { try await body(queue) }
    }
}

/// Runs a body, and then closes what it has used, also if it fails.
func closing<Value, Failure: Error>(
    _ close: () async -> Void, after body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure>
    do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
    await close()
    return try result.get()
}

extension QueueAuditEntry {
    /// The entry of a command: who ran it on which machine, in the place of a key.
    ///
    /// - Parameters:
    ///   - action: What is done, for example `key.create`.
    ///   - app: The app; empty if the change concerns several.
    ///   - object: What is changed: an id, a name, or a shortened token.
    ///   - name: The name of an object that has an id, too.
    ///   - before: What it was before; `nil` if that says nothing.
    ///   - after: What it is after; `nil` if the action says it.
    /// - Returns: The entry.
    static func command(
        _ action: String, app: String, object: String? = nil, name: String? = nil, before: String? = nil,
        after: String? = nil
    ) -> QueueAuditEntry {
        QueueAuditEntry(
            app: app,
            [
                ("action", action), ("key", "command"), ("key_name", person), ("object", object), ("object_name", name),
                ("before", before), ("after", after),
            ])
    }

    /// The user of the system and the machine, as `root on push-1`.
    private static var person: String {
        let user = getpwuid(getuid()).flatMap { $0.pointee.pw_name.map { String(cString: $0) } } ?? "user \(getuid())"
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return user }
        return "\(user) on \(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
    }
}

extension QueueAudit {
    /// Several jobs, or the only one.
    static func command(_ action: String, _ several: String, app: String, _ ids: [UUID]) -> QueueAudit {
        guard ids.count == 1 else { return QueueAuditEntry.command(several, app: app).counting }
        let entry = QueueAuditEntry.command(action, app: app, object: JobAnswer.text(ids[0]))
        return QueueAudit { _ in entry }
    }
}

/// The configuration of a command that needs all of it.
struct ConfigurationOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file. Default: PUSHSERVE_CONFIG, pushserve.yaml, or /etc/pushserve/pushserve.yaml.",
            valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// Reads the configuration.
    ///
    /// - Parameter json: Whether programs read the findings of the command. Then each mistake is one of them.
    /// - Returns: The configuration.
    /// - Throws: ``CommandFailure`` with every mistake.
    func load(json: Bool = false) throws -> ServiceConfiguration {
        do {
            return try ServiceConfiguration.load(option: config)
        } catch {
            guard json else { throw error }
            for mistake in error.messages {
                Output.print(Finding.failed("configuration", mistake, error.status).line)
            }
            Output.exit(error.status)
        }
    }
}

/// A duration with its unit: `30s`, `500ms`, `2m`, `1h`, `7d`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument), duration > .zero else { return nil }
        self.duration = duration
    }
}

/// How long a push may wait: what the service takes as `ttl`.
struct LifetimeArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(unitText: argument, isWhole: true), duration >= .seconds(1) else { return nil }
        self.duration = duration
    }
}
