import APNSVocabulary
import MockAPNs
import PushJSON
import PushPlatform
import PushTime
import VirtualPhones

enum ScreenForm {
    /// `base` is the path of the namespace, for the addresses of attachments.
    static func write(_ screen: PhoneScreen, below base: String, to writer: inout JSONWriter) {
        writer.member("phone", screen.phone)
        writer.member("time", screen.time.rfc3339)
        writer.member("locked", screen.isLocked)
        writer.object("banner", of: screen.banner) { write($1, on: screen.phone, below: base, to: &$0) }
        for (name, entries) in [("lock", screen.lock), ("center", screen.center), ("quiet", screen.quiet)] {
            writer.objects(name, entries) { write($1, on: screen.phone, below: base, to: &$0) }
        }
        writer.objects("activities", screen.activities) { write($1, to: &$0) }
        writer.object("badges") { writer in
            for (topic, badge) in screen.badges.sorted(by: { $0.key < $1.key }) { writer.member(topic, badge) }
        }
        writer.member("expanded", screen.expanded)
        writer.object("foreground", of: screen.foreground) { writer, foreground in
            writer.member("topic", foreground.topic)
            writer.member("presented", (foreground.presented ?? []).map(\.rawValue))
        }
    }

    private static func write(
        _ entry: PhoneScreen.Entry, on phone: String, below base: String, to writer: inout JSONWriter
    ) {
        writer.member("push", entry.card.push)
        writer.member("more") { $0.array(entry.more) { $0.integer($1) } }
        writer.member("group", entry.group)
        writer.member("summary", entry.summary)
        writer.object("card") { CardForm.write(entry.card, on: phone, below: base, to: &$0) }
        writer.objects("cards", entry.others) { CardForm.write($1, on: phone, below: base, to: &$0) }
    }

    private static func write(_ activity: PhoneActivityCard, to writer: inout JSONWriter) {
        writer.member("push", activity.push)
        writer.member("topic", activity.topic)
        writer.member("app", activity.app)
        writer.member("id", activity.id)
        writer.member("type", activity.type)
        writer.member("title", activity.title)
        writer.member("line", activity.line)
        writer.member("time", activity.time)
        writer.object("progress", of: activity.progress) { writer, progress in
            writer.member("done") { $0.number(progress.done) }
            writer.member("of") { $0.number(progress.whole) }
        }
        writer.member("fields") { CardForm.write(activity.fields, to: &$0) }
        writer.member("stale", activity.isStale)
        writer.member("ended", activity.isEnded)
        writer.member("stale_date", activity.staleDate?.rfc3339)
        writer.member("dismissal", activity.dismissal?.rfc3339)
        writer.member("channel", activity.channel)
        writer.member("mapped", activity.isMapped)
    }
}
