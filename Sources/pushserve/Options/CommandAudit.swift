import PushPlatform
import PushQueue
import PushService

extension QueueAuditEntry {
    /// The entry of a command: who ran it on which machine, in the place of a key.
    ///
    /// - Parameters:
    ///   - action: What is done, for example `key.create`.
    ///   - app: The app; empty if the change concerns several.
    ///   - object: What is changed: an id, a name, or a shortened token.
    ///   - name: The name of an object that has an id, too.
    ///   - before: What it was before; `nil` if that says nothing.
    ///   - after: What it is after; `nil` if the action says it.
    /// - Returns: The entry.
    static func command(
        _ action: String, app: String, object: String? = nil, name: String? = nil, before: String? = nil,
        after: String? = nil
    ) -> QueueAuditEntry {
        QueueAuditEntry(
            app: app,
            [
                ("action", action), ("key", "command"), ("key_name", person), ("object", object), ("object_name", name),
                ("before", before), ("after", after),
            ])
    }

    /// The user of the system and the machine, as `root on push-1`.
    private static var person: String {
        let user = getpwuid(getuid()).flatMap { $0.pointee.pw_name.map { String(cString: $0) } } ?? "user \(getuid())"
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return user }
        return "\(user) on \(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
    }
}

extension QueueAudit {
    /// Several jobs, or the only one.
    static func command(_ action: String, _ several: String, app: String, _ ids: [UUID]) -> QueueAudit {
        guard ids.count == 1 else { return QueueAuditEntry.command(several, app: app).counting }
        let entry = QueueAuditEntry.command(action, app: app, object: JobAnswer.text(ids[0]))
        return QueueAudit { _ in entry }
    }
}
