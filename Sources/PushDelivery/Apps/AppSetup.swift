internal import APNSVocabulary
internal import PushJSON
package import PushProvider
package import PushQueue

/// Where the pushes of an app go, and as whom: what an operator must not change without noticing. It has no secrets.
package struct AppSetup: Sendable, Hashable {
    /// The default topic: that of the settings, or the topics of the certificate; `nil` for none.
    package var topic: String?
    /// The server of APNs.
    package var environment: String
    /// The key with its team, or the certificate.
    package var credentials: String
}

extension AppSetup {
    /// The setup of an app.
    ///
    /// - Parameters:
    ///   - settings: The settings of the app.
    ///   - certificate: Its certificate; `nil` with a provider key.
    package init(_ settings: AppSettings, _ certificate: PushCertificate?) {
        let ofCertificate = certificate.map { $0.topics.joined(separator: ", ") } ?? ""
        topic = settings.topic ?? (ofCertificate.isEmpty ? nil : ofCertificate)
        environment = "\(settings.environment.host):\(settings.environment.port)"
        credentials =
            switch settings.credentials {
            case .key(_, let keyID, let teamID): "the key \(keyID) of team \(teamID)"
            // A renewed certificate has the same name.
            case .identity: "the certificate \"\(certificate.map { "\($0)" } ?? "")\""
            }
    }

    /// What has changed since an earlier setup, and what that means for pushes, in sentences that name both.
    package func changes(from old: AppSetup) -> [String] {
        var changes: [String] = []
        if topic != old.topic {
            let before = old.topic.map {
                "Pushes without a topic that were accepted before still go to \(Self.shown($0))."
            }
            changes.append(
                "The topic has changed from \(Self.shown(old.topic)) to \(Self.shown(topic)).\(before.map { " \($0)" } ?? "")"
            )
        }
        if environment != old.environment {
            changes.append(
                "The environment has changed from \(Self.shown(old.environment)) to \(Self.shown(environment)). Waiting pushes go there, too."
            )
        }
        if credentials != old.credentials {
            changes.append(
                "The credentials have changed from \(Self.shown(old.credentials)) to \(Self.shown(credentials)). Waiting pushes are sent with them, too."
            )
        }
        return changes
    }

    private static func shown(_ text: String?) -> String { text.map { PeerText.printable($0) } ?? "none" }
}

/// The setup with which an app last ran, as the queue remembers it: also `pushserve check` and the next start can see that it has changed.
package struct StoredAppSetup: Sendable, Hashable {
    /// The kind of the records. The key is the name of the app.
    package static let kind = "app_setup"

    package var current: AppSetup
    /// The setup before the first change since the start of the service; `nil` if nothing has changed.
    package var before: AppSetup?

    init(_ current: AppSetup) {
        self.current = current
    }

    /// The setup that warnings compare with.
    package var base: AppSetup { before ?? current }

    /// Follows a change of the setup.
    ///
    /// - Returns: What has changed, in sentences.
    mutating func change(to new: AppSetup) -> [String] {
        guard new != current else { return [] }
        let changes = new.changes(from: current)
        before = base == new ? nil : base
        current = new
        return changes
    }

    // MARK: Records

    var encoded: [UInt8] {
        var members = ["current": Self.value(current)]
        members["before"] = before.map(Self.value)
        return PushJSONValue.object(members).encoded
    }

    /// Reads a record; `nil` if it is damaged.
    package init?(_ record: QueueServiceRecord) {
        guard let value = PushJSONValue(json: record.value), let current = Self.setup(value["current"]) else {
            return nil
        }
        (self.current, before) = (current, Self.setup(value["before"]))
    }

    private static func value(_ setup: AppSetup) -> PushJSONValue {
        var members: [String: PushJSONValue] = [
            "environment": .string(setup.environment), "credentials": .string(setup.credentials),
        ]
        members["topic"] = setup.topic.map(PushJSONValue.string)
        return .object(members)
    }

    private static func setup(_ value: PushJSONValue?) -> AppSetup? {
        guard let environment = value?["environment"]?.text, let credentials = value?["credentials"]?.text else {
            return nil
        }
        return AppSetup(topic: value?["topic"]?.text, environment: environment, credentials: credentials)
    }
}
