import APNSVocabulary
import MockAPNs
import PushJSON
import PushPlatform
import PushTime
import VirtualPhones

/// The JSON of a notification as the user sees it.
enum CardForm {
    /// Writes a card.
    ///
    /// - Parameters:
    ///   - card: The card.
    ///   - phone: The id of the phone.
    ///   - base: The path of the namespace, for the address of an attachment.
    ///   - writer: Where to write it.
    static func write(
        _ card: PhoneNotificationCard, on phone: String?, below base: String, to writer: inout JSONWriter
    ) {
        writer.member("push", card.push)
        writer.member("topic", card.topic)
        writer.member("app", card.app)
        writer.member("title", card.title)
        writer.member("subtitle", card.subtitle)
        writer.member("body", card.body)
        writer.member("level", card.level.rawValue)
        writer.member("sound", card.sound)
        if let volume = card.volume { writer.member("volume") { $0.number(volume) } }
        writer.member("time", card.time.rfc3339)
        writer.member("thread", card.thread)
        writer.member("category", card.category)
        writer.member("target", card.target)
        writer.object("attachment", of: card.attachment) { write($1, of: card.push, on: phone, below: base, to: &$0) }
        writer.member("attachment_address", card.attachmentAddress)
        writer.objects("actions", card.actions) { write($1, to: &$0) }
        writer.object("content", of: card.content) { write($1, to: &$0) }
        writer.member("quiet", card.isQuiet)
        writer.member("loud", card.isLoud)
        writer.member("rewritten", card.isRewritten)
        writer.member("badge", card.badge)
    }

    private static func write(
        _ attachment: PhoneNotificationCard.Attachment, of push: Int, on phone: String?, below base: String,
        to writer: inout JSONWriter
    ) {
        writer.member("name", attachment.name)
        writer.member("type", attachment.type.mediaType)
        writer.member("kind", attachment.type.kind.rawValue)
        writer.member("bytes", attachment.byteCount)
        // The file of a preview has no address: no such push has arrived.
        if push > 0 { writer.member("url", phone.map { "\(base)/phones/\($0)/attachments/\(push)" }) }
    }

    private static func write(_ action: PhoneNotificationAction, to writer: inout JSONWriter) {
        writer.member("id", action.id)
        writer.member("title", action.title)
        writer.member("kind", action.kind.rawValue)
        writer.member("icon", action.icon)
        writer.member("foreground", action.opensApp)
        writer.member("authentication_required", action.needsAuthentication)
        writer.member("note", action.note)
        writer.member("placeholder", action.placeholder)
        writer.member("button", action.button)
    }

    private static func write(_ content: PhoneNotificationCard.Content, to writer: inout JSONWriter) {
        writer.member("fields") { write(content.fields, to: &$0) }
        writer.member("default_hidden", content.hidesDefault)
        writer.member("ratio") { $0.number(content.ratio) }
    }

    static func write(_ fields: [PhoneNotificationCard.Content.Field], to writer: inout JSONWriter) {
        writer.array(fields) { writer, field in writer.array([field.key, field.value]) { $0.string($1) } }
    }
}
