internal import PushJSON
package import PushQueue

/// The record of the queue by which a worker shows the others that it runs. The worker renews it.
package struct WorkerHeartbeat: Sendable, Hashable {
    /// The kind of the records. The key is the name of the worker.
    static let kind = "worker"

    package var name: String
    /// The version of the program, for people.
    package var version = ""
    /// When the record was stored, for people.
    package var time: QueueTime
    /// The apps whose jobs the worker sends, each with the time since when.
    package var apps: [String: QueueTime] = [:]
    package var statuses: [AppStatus] = []
    /// For each app, digests of the settings that all workers must have in common, by the name of the setting.
    var settings: [String: [String: String]] = [:]

    /// The value of the record. If it is longer than a record may be, it has no statuses.
    var encoded: [UInt8] {
        let bytes = value(withStatuses: true).encoded
        return bytes.count <= QueueServiceRecord.longestValue ? bytes : value(withStatuses: false).encoded
    }

    private func value(withStatuses: Bool) -> PushJSONValue {
        var members: [String: PushJSONValue] = [
            "version": .string(version), "time": .integer(Int(time.milliseconds)),
            "apps": .object(apps.mapValues { .integer(Int($0.milliseconds)) }),
        ]
        if withStatuses {
            members["states"] = .object(Dictionary(statuses.map { ($0.name, $0.value) }) { first, _ in first })
            members["settings"] = .object(settings.mapValues { .object($0.mapValues { .string($0) }) })
        }
        return .object(members)
    }

    package init(name: String, time: QueueTime) {
        (self.name, self.time) = (name, time)
    }

    /// Reads a record; `nil` if it is damaged.
    init?(_ record: QueueServiceRecord) {
        guard let value = PushJSONValue(json: record.value), let time = value["time"]?.time,
            case .object(let apps)? = value["apps"]
        else { return nil }
        (name, self.time, version) = (record.key, time, value["version"]?.text ?? "")
        self.apps = apps.compactMapValues(\.time)
        if case .object(let states)? = value["states"] {
            statuses = states.compactMap { AppStatus($0.key, $0.value) }.sorted { $0.name < $1.name }
        }
        if case .object(let settings)? = value["settings"] {
            self.settings = settings.compactMapValues { digests in
                if case .object(let digests) = digests { digests.compactMapValues(\.text) } else { nil }
            }
        }
    }

    /// The settings of an app that differ from those of another worker, by their names, in order. An older program stores no settings.
    func differences(from other: WorkerHeartbeat, of app: String) -> [String] {
        guard let own = settings[app], let others = other.settings[app] else { return [] }
        return own.keys.filter { others[$0] != nil && others[$0] != own[$0] }.sorted()
    }
}

extension AppStatus {
    fileprivate var value: PushJSONValue {
        var members: [String: PushJSONValue] = [
            "state": .string(state.rawValue), "connected": .bool(isConnected), "in_flight": .integer(inFlight),
            "credentials": .string(credentials.rawValue),
        ]
        if let reason { members["reason"] = .string(reason) }
        if !warnings.isEmpty { members["warnings"] = .array(warnings.map { .string($0) }) }
        if let correction { members["correction"] = .string(correction.rawValue) }
        if let certificateDaysLeft { members["days_left"] = .integer(certificateDaysLeft) }
        return .object(members)
    }

    fileprivate init?(_ name: String, _ value: PushJSONValue) {
        guard let state = value["state"]?.text.flatMap(State.init(rawValue:)) else { return nil }
        self.init(name: name, state: state)
        reason = value["reason"]?.text
        if case .array(let texts)? = value["warnings"] { warnings = texts.compactMap(\.text) }
        correction = value["correction"]?.text.flatMap(AppCorrection.Kind.init(rawValue:))
        isConnected = value["connected"] == true
        inFlight = value["in_flight"]?.integer ?? 0
        certificateDaysLeft = value["days_left"]?.integer
        if let text = value["credentials"]?.text, let known = Credentials(rawValue: text) { credentials = known }
    }
}

extension PushJSONValue {
    fileprivate var time: QueueTime? { integer.map { QueueTime(milliseconds: Int64($0)) } }
}

extension AppStatus {
    /// Combines the statuses of an app at all workers: the best state, and the problems of the other workers.
    ///
    /// - Parameter statuses: The status at each worker, with its name. This worker comes first.
    /// - Returns: The status; `nil` if no worker has the app.
    static func together(_ statuses: [(worker: String, status: AppStatus)]) -> AppStatus? {
        guard let first = statuses.first, var best = statuses.min(by: { $0.status.order < $1.status.order })?.status
        else { return nil }
        // The other workers learn of a pause or its end a moment later.
        if first.status.state == .paused { best = first.status }
        let all = statuses.map(\.status)
        best.recipientsFailure = first.status.recipientsFailure
        best.isConnected = all.contains(where: \.isConnected)
        (best.connections, best.certificateLeft) = (first.status.connections, first.status.certificateLeft)
        best.inFlight = all.reduce(0) { $0 + $1.inFlight }
        best.certificateDaysLeft = all.compactMap(\.certificateDaysLeft).min()
        if best.credentials == .untried, all.contains(where: { $0.credentials == .accepted }) {
            best.credentials = .accepted
        }
        best.warnings = all.reduce(into: []) { known, status in
            known += status.warnings.filter { !known.contains($0) }
        }
        let worse = statuses.filter { $0.status.reason != nil && $0.status.state != best.state }
        if best.state != .paused, !worse.isEmpty {
            let others = worse.map { worker, status in
                "On worker \(worker), the app is \(status.state): \(status.reason ?? "")"
            }
            best.reason = ([best.reason].compactMap(\.self) + others).joined(separator: " ")
        }
        return best
    }

    /// The better the state, the smaller the number.
    private var order: Int { State.allCases.firstIndex(of: state) ?? 0 }
}
