import APNSVocabulary
import MockAPNs
import PushJSON
import VirtualPhones

enum PhoneForm {
    /// Writes a phone.
    ///
    /// - Parameters:
    ///   - state: The phone.
    ///   - error: What is wrong in its file now.
    ///   - isWhole: Whether to write switches and apps.
    ///   - writer: Where to write it.
    static func write(_ state: PhoneState, error: String? = nil, isWhole: Bool, to writer: inout JSONWriter) {
        writer.member("id", state.profile.id)
        writer.member("name", state.profile.name)
        writer.member("os", state.profile.os)
        writer.member("app_count", state.apps.count)
        writer.member("note", state.profile.note)
        writer.member("online", state.switches.online)
        writer.member("profile", state.profile.isGiven ? "given" : "default")
        guard isWhole else { return }
        writer.member("muted", state.switches.muted)
        writer.member("focus", state.switches.focus)
        writer.member("locked", state.switches.locked)
        writer.member("foreground", state.switches.foreground)
        writer.member("stores_several", state.switches.storesSeveral)
        writer.objects("apps", state.apps) { write($1, to: &$0) }
        writer.member("profile_error", error)
    }

    private static func write(_ app: PhoneState.App, to writer: inout JSONWriter) {
        let profile = app.profile
        writer.member("topic", profile.topic)
        writer.member("name", profile.name)
        writer.member("glyph", profile.glyph)
        writer.member("hue", profile.hue)
        writer.member("permission", app.permission.rawValue)
        writer.member("badge", app.badge)
        writer.member("tokens", app.tokens)
        writer.member(
            "presents", PhoneAppProfile.Presentation.allCases.filter(app.presents.contains).map(\.rawValue))
        writer.member("running", app.isRunning)
        writer.member("force_quit", app.isForceQuit)
        writer.object("settings") { writer in
            writer.member("alerts", profile.settings.alerts)
            writer.member("badges", profile.settings.badges)
            writer.member("sounds", profile.settings.sounds)
            writer.member("time_sensitive", profile.settings.timeSensitive)
            writer.member("critical", profile.settings.critical)
        }
        writer.objects("activities", profile.liveActivities) { write($1, to: &$0) }
    }

    private static func write(_ activity: PhoneLiveActivityProfile, to writer: inout JSONWriter) {
        writer.member("type", activity.type)
        writer.member("title", activity.title)
        writer.member("line", activity.line)
        writer.member("time", activity.time)
        writer.object("progress", of: activity.progress) { writer, bar in
            writer.member("done", bar.done)
            writer.member("left", bar.left)
            writer.member("of", bar.whole)
        }
    }
}
