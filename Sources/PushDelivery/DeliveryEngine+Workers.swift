internal import Logging
internal import PushProvider
internal import PushQueue

/// The records by which the workers of one queue show each other that they run, which apps they send, and the status of these apps.
extension DeliveryEngine {
    // MARK: Heartbeats

    /// Renews the record of this worker, and reads the records of the others, until the engine stops.
    func heartbeatLoop() async {
        guard options.isShared else { return }
        while !isStopping {
            await heartbeatWakeUp.wait(for: options.heartbeat.interval)
            if isStopping { return }
            await sendHeartbeat()
        }
    }

    /// Renews the record of this worker, and reads the records of the others.
    func sendHeartbeat() async {
        guard options.isShared else { return }
        do throws(QueueError) {
            try await renewHeartbeat()
            try await readOthers()
            worked(.heartbeat)
        } catch {
            failed(.heartbeat, error)
        }
        followShares()
    }

    private func renewHeartbeat() async throws(QueueError) {
        let began = options.now()
        var heartbeat = WorkerHeartbeat(name: options.owner, time: try await queue.now())
        heartbeat.version = options.version
        heartbeat.statuses = ownStatuses
        heartbeat.settings = apps.mapValues(\.sharedSettings)
        let sent = apps.values.filter { $0.client != nil && $0.phase.takesPart(at: options.now()) }
        heartbeat.apps = shares.renewing(Set(sent.map(\.settings.name)), at: heartbeat.time)
        followShares()
        _ = try await queue.store(heartbeat.encoded, kind: WorkerHeartbeat.kind, key: options.owner, ifVersion: nil)
        shares.wasRenewed(began: began, at: options.now())
    }

    private func readOthers() async throws(QueueError) {
        let began = options.now()
        let records = try await queue.records(kind: WorkerHeartbeat.kind)
        let before = shares.living.map(\.name)
        let dead = shares.saw(records, began: began, at: options.now())
        let others = shares.living.map(\.name)
        if others != before {
            logger.notice("the workers have changed", metadata: ["others": "\(others.joined(separator: ", "))"])
        }
        warnOfOtherSettings()
        for record in dead {
            _ = try await queue.removeRecord(kind: WorkerHeartbeat.kind, key: record.key, ifVersion: record.version)
        }
        try await readPauses()
        try await readResumes()
    }

    /// Warns of workers that have other settings of an app: once, and again when the differences change.
    private func warnOfOtherSettings() {
        var own = WorkerHeartbeat(name: options.owner, time: .earliest)
        own.settings = apps.mapValues(\.sharedSettings)
        var found: Set<[String]> = []
        for other in shares.living {
            for app in apps.keys.sorted() {
                let names = own.differences(from: other, of: app)
                if !names.isEmpty { found.insert([app, other.name, names.joined(separator: ", ")]) }
            }
        }
        for difference in found.subtracting(settingDifferences).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            logger.warning(
                """
                another worker has different settings for an app, so it's left to chance which of them a push gets. \
                Give all workers the same configuration
                """,
                metadata: [
                    "app": "\(difference[0])", "worker": "\(difference[1])", "settings": "\(difference[2])",
                ])
        }
        settingDifferences = found
    }

    /// Removes the record of this worker, so that the others take over its share. If the queue fails, they notice a little later.
    func removeHeartbeat() async {
        guard options.isShared else { return }
        _ = shares.renewing([], at: .now)
        _ = try? await queue.removeRecord(kind: WorkerHeartbeat.kind, key: options.owner, ifVersion: nil)
    }

    /// The workers that live, with this one, in the order of their names.
    package var workers: [WorkerHeartbeat] {
        get async {
            guard options.isShared else { return [] }
            var own = WorkerHeartbeat(name: options.owner, time: (try? await queue.now()) ?? .now)
            own.version = options.version
            return (shares.living + [own]).sorted { $0.name < $1.name }
        }
    }

    /// The other workers that were lost and not replaced yet.
    package var lostWorkers: [WorkerHeartbeat] { shares.lost.map(\.heartbeat) }

    // MARK: Shares

    /// Adapts all apps to the records of the other workers.
    func followShares() {
        guard options.isShared else { return claimWakeUp.send() }
        let now = options.now()
        for work in apps.values { follow(work, at: now) }
        claimWakeUp.send()
    }

    /// Adapts an app to the records of the other workers.
    func follow(_ work: AppWork, at now: MonotonicTime) {
        work.pace.follow(shares.standing(of: work.settings.name, at: now), of: work.settings, at: now)
        guard let client = work.client, work.connections != work.pace.connections else { return }
        work.connections = work.pace.connections
        client.limitConnections(to: work.pace.connections)
    }

    // MARK: States

    private var ownStatuses: [AppStatus] {
        apps.keys.sorted().compactMap { name in apps[name]?.status(inFlight: window.count(of: name)) }
    }

    /// The status of each app at all workers, sorted by name, without the figures of the queue.
    var sharedStatuses: [AppStatus] {
        guard options.isShared else { return ownStatuses }
        var found: [String: [(worker: String, status: AppStatus)]] = [:]
        for status in ownStatuses { found[status.name, default: []].append((options.owner, status)) }
        for worker in shares.living {
            for status in worker.statuses { found[status.name, default: []].append((worker.name, status)) }
        }
        return found.keys.sorted().compactMap { found[$0].flatMap(AppStatus.together) }
    }
}
