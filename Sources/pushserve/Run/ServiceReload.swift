#if PushService
    import Logging
    import PushDelivery

    /// Reads the configuration again. If it has a mistake, the old one stays.
    actor ServiceReload {
        private var current: ServiceConfiguration
        private let parts: ServiceParts
        private let log: Logger
        private let read: @Sendable () throws(CommandFailure) -> ServiceConfiguration

        init(
            _ configuration: ServiceConfiguration, _ parts: ServiceParts, log: Logger,
            read: @escaping @Sendable () throws(CommandFailure) -> ServiceConfiguration
        ) {
            (current, self.parts, self.log, self.read) = (configuration, parts, log, read)
        }

        /// Reads the configuration, and hands it to the parts.
        func run() async {
            ServiceManager.reloading()
            defer { ServiceManager.ready() }
            let new: ServiceConfiguration
            do throws(CommandFailure) { new = try read() } catch {
                for message in error.messages { log.error("\(message)") }
                log.error(
                    "The configuration was not changed, because the new one has a mistake. Correct it, and send SIGHUP again."
                )
                return
            }
            for key in Self.needingRestart(current, new) {
                log.warning("A change of \"\(key)\" takes effect at the next start.", metadata: ["key": "\(key)"])
            }
            let names = (Set(current.settings.map(\.name)), Set(new.settings.map(\.name)))
            current = new
            await parts.update(new)
            await Self.warnOfLeftOver(parts, log)
            log.notice(
                "The configuration was read again.",
                metadata: [
                    "apps": "\(new.apps.count)",
                    "added": "\(names.1.subtracting(names.0).sorted().joined(separator: ","))",
                    "removed": "\(names.0.subtracting(names.1).sorted().joined(separator: ","))",
                ])
        }

        /// Warns of jobs that nobody sends.
        static func warnOfLeftOver(_ parts: ServiceParts, _ log: Logger) async {
            // A queue that cannot be read now is reported by those who need it.
            for (app, jobs) in (try? await parts.findLeftOver()) ?? [] {
                log.warning("\(LeftOverJobs.fact(app, jobs)) \(LeftOverJobs.remedy(app))", metadata: ["app": "\(app)"])
            }
        }

        /// The keys that have changed, and are read only at the start.
        static func needingRestart(_ old: ServiceConfiguration, _ new: ServiceConfiguration) -> [String] {
            var keys: [String] = []
            if old.listen != new.listen { keys.append("listen") }
            if old.publicURL != new.publicURL { keys.append("public_url") }
            if old.tls != new.tls { keys.append("tls") }
            if old.metrics != new.metrics { keys.append("metrics") }
            if old.database != new.database { keys.append("database") }
            if old.limits != new.limits { keys.append("limits") }
            if old.keep != new.keep { keys.append("keep") }
            if old.log != new.log { keys.append("log") }
            if old.drain != new.drain { keys.append("drain") }
            return keys
        }
    }
#endif
