#if PushService
    import APNSVocabulary
    import ArgumentParser
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

        /// Opens the database, which must exist. A running service may have it open.
        ///
        /// - Throws: ``CommandFailure``
        func open() throws -> SQLiteQueue {
            let path = try path()
            guard access(path, F_OK) == 0 else {
                throw CommandFailure(
                    status: .noSuchFile,
                    message: """
                        There is no database "\(path.printable)". The service creates it when it runs. For another file, give --database FILE.
                        """)
            }
            do throws(QueueError) { return try SQLiteQueue(path) } catch { throw CommandFailure(error) }
        }

        /// Opens the database for the time of a command.
        func with(_ body: (SQLiteQueue) async throws -> Void) async throws {
            let queue = try open()
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
