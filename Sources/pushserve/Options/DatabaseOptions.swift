#if PushService
    import APNSVocabulary
    import ArgumentParser
    import PushDelivery
    import PushPlatform
    import PushQueue

    /// Which database a command works on.
    struct DatabaseOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The database. Default: PUSHSERVE_DATABASE, or that of the configuration.", valueName: "file"),
            completion: .file())
        var database: String?

        @Option(
            help: ArgumentHelp(
                "The configuration file that names the database. Default: PUSHSERVE_CONFIG, pushserve.yaml, or /etc/pushserve/pushserve.yaml.",
                valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
        var config: String?

        /// The path of the database.
        ///
        /// - Throws: ``CommandFailure`` if the configuration is needed and has mistakes.
        func path() throws -> String {
            let here = FileManager.default.currentDirectoryPath
            if let database { return ConfigValue.path(database, in: here) }
            if config == nil, let database = Variables.ofProcess["PUSHSERVE_DATABASE"] {
                return ConfigValue.path(database, in: here)
            }
            return try ServiceConfiguration.load(option: config).database
        }

        /// The names of the configured apps.
        ///
        /// - Returns: The names; `nil` if no configuration is read.
        /// - Throws: ``CommandFailure`` if the configuration has mistakes.
        func appNames() throws -> [String]? {
            guard config != nil || Variables.ofProcess["PUSHSERVE_DATABASE"] == nil else { return nil }
            return try ServiceConfiguration.load(option: config).settings.map(\.name)
        }

        /// Opens the database. A running service may have it open.
        private func open(createsFile: Bool) throws -> SQLiteQueue {
            let path = try path()
            guard createsFile || access(path, F_OK) == 0 else {
                throw CommandFailure(
                    status: .noSuchFile,
                    message: """
                        There is no database "\(path.printable)". The service creates it when it runs. For another file, give \
                        --database FILE.
                        """)
            }
            do throws(QueueError) { return try SQLiteQueue(path) } catch { throw CommandFailure(error) }
        }

        /// Opens the database for the time of a command.
        ///
        /// - Parameters:
        ///   - createsFile: Whether the file is created if it does not exist.
        ///   - body: What the command does.
        /// - Throws: ``CommandFailure``.
        func with(createsFile: Bool = false, _ body: (SQLiteQueue) async throws -> Void) async throws {
            let queue = try open(createsFile: createsFile)
            do {
                try await body(queue)
            } catch {
                await queue.close()
                throw CommandFailure.from(error)
            }
            await queue.close()
        }
    }
#endif
