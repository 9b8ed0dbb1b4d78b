package import APNSVocabulary
internal import Logging
internal import NIOConcurrencyHelpers
internal import PushProvider
internal import PushQueue

/// What has changed about the apps while nobody may have noticed: their topics, environments and credentials.
extension DeliveryEngine {
    /// Reads the setups with which the apps last ran. What changed since then is reported when they begin.
    func readSetups() async {
        for record in (try? await queue.records(kind: StoredAppSetup.kind)) ?? [] {
            guard let stored = StoredAppSetup(record) else { continue }
            setups[record.key] = StoredAppSetup(stored.current)
            storedSetups[record.key] = stored
        }
    }

    /// Reports what has changed about an app. Its settings and its credentials were read.
    func noteSetup(_ work: AppWork) {
        let name = work.settings.name
        let new = AppSetup(work.settings, work.certificate)
        certificates.withLockedValue { $0[name] = work.certificate }
        let changes = setups[name, default: StoredAppSetup(new)].change(to: new)
        for change in changes { logger.warning("\(change)", metadata: ["app": "\(name)"]) }
        work.warnings = setups[name].map { new.changes(from: $0.base) } ?? []
    }

    /// Stores the setups that have changed, without waiting for it: a reload takes effect although the queue stands still. If the
    /// queue fails, the next round stores them.
    func storeSetups() {
        storesSetupsAgain = true
        // One after the other: an older setup must not be stored over a newer one.
        guard storingSetups == nil else { return }
        storingSetups = Task {
            while storesSetupsAgain {
                storesSetupsAgain = false
                await storeNewSetups()
            }
            storingSetups = nil
        }
    }

    private func storeNewSetups() async {
        for (app, setup) in setups where storedSetups[app] != setup && apps[app] != nil {
            let stored = try? await queue.store(setup.encoded, kind: StoredAppSetup.kind, key: app, ifVersion: nil)
            if stored != nil { storedSetups[app] = setup }
        }
    }

    /// The default topic of a push of an app, at the time of the call; `nil` for none, or while it is not known.
    ///
    /// - Parameters:
    ///   - app: The settings of the app.
    ///   - pushType: The push type of the push, which is asked only if the certificate has several topics.
    /// - Returns: The topic of the settings, or of the certificate.
    package nonisolated func defaultTopic(of app: AppSettings, _ pushType: () -> PushType) -> String? {
        if let topic = app.topic { return topic }
        guard case .identity = app.credentials, let certificate = certificates.withLockedValue({ $0[app.name] }) else {
            return nil
        }
        return certificate.topics.count == 1 ? certificate.topics[0] : certificate.topic(for: pushType())
    }
}
