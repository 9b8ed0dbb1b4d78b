import APNSVocabulary
import PushPlatform

extension Phones {
    /// What a phone would make of a push, if it arrived now.
    package struct Preview: Sendable {
        /// What would become of the push.
        package var record: PushRecord
        /// What the phone would show.
        package var screen: PhoneScreen
    }

    /// Tries a push on a phone. Nothing changes.
    ///
    /// - Parameters:
    ///   - push: The push. Its target does not matter: it comes to this phone.
    ///   - id: The id of the phone.
    /// - Returns: The outcome that it would have; `nil` if there is no such phone.
    package func preview(_ push: PhonePush, on id: String) -> Preview? {
        guard let index = index(of: id) else { return nil }
        var trial = self
        // A copy of all records would be slow to change.
        trial.records = PushRecords(maximum: 1, maximumWhole: 1)
        trial.phones = [phones[index]]
        trial.deviceOrder = []
        trial.devices = [:]
        var push = push
        // An update is for the newest Live Activity.
        let activity = push.type == .liveactivity ? phones[index].activities.last { $0.topic == push.topic } : nil
        push.target = .device(activity?.updateToken ?? activity?.startToken ?? "preview")
        trial.noteListed()
        trial.receive(push)
        guard let record = trial.records[push.number], let screen = trial.screen(of: id, at: push.time) else {
            return nil
        }
        return Preview(record: record, screen: screen)
    }
}
