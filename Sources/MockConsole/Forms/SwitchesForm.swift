import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import VirtualPhones

enum SwitchesForm {
    /// The maximum length of a topic and of the name of a Focus, in bytes.
    private static let longestText = 200

    /// Reads which switches of a phone change.
    ///
    /// - Returns: What changes them.
    /// - Throws: ``APIProblem``.
    static func read(_ tree: LocatedJSON) throws(APIProblem) -> @Sendable (inout PhoneSwitches) -> Void {
        let form = try FormReader(tree, known: ["online", "muted", "focus", "locked", "foreground", "stores_several"])
        let (online, muted, locked) = (try form.bool("online"), try form.bool("muted"), try form.bool("locked"))
        let storesSeveral = try form.bool("stores_several")
        let (focus, foreground) = (try form.string("focus"), try form.string("foreground"))
        for (name, text) in [("focus", focus), ("foreground", foreground)] {
            guard let text, !(1...longestText).contains(text.utf8.count) else { continue }
            throw form.problem(
                name, "\(name.debugDescription) must have 1 to \(longestText) bytes, or be null for none.")
        }
        if locked == true, foreground != nil {
            throw form.problem("foreground", "A locked phone has no app in the foreground.")
        }
        let (hasFocus, hasForeground) = (form.has("focus"), form.has("foreground"))
        return { switches in
            switches.online = online ?? switches.online
            switches.muted = muted ?? switches.muted
            switches.locked = locked ?? switches.locked
            switches.storesSeveral = storesSeveral ?? switches.storesSeveral
            if hasFocus { switches.focus = focus }
            if hasForeground { switches.foreground = foreground }
        }
    }

    /// Reads what changes about an app.
    ///
    /// - Throws: ``APIProblem``.
    static func readApp(_ tree: LocatedJSON) throws(APIProblem) -> Phones.AppChange {
        let form = try FormReader(tree, known: ["permission", "presents", "force_quit", "running"])
        var change = Phones.AppChange()
        change.permission = try form.choice("permission", PhoneAppProfile.Permission.self)
        change.forceQuit = try form.bool("force_quit")
        change.isRunning = try form.bool("running")
        change.presents = try form.choices("presents", PhoneAppProfile.Presentation.self)
        return change
    }
}
