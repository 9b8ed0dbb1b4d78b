import APNSVocabulary
import PushJSON
import PushPlatform

extension PhoneServiceExtension {
    /// Reads the service extension of an app; `nil` if it has none.
    init?(in app: ProfileReader) throws(PhoneProfileError) {
        guard
            let members = try app.object(
                "service_extension",
                known: ["takes", "hands_over", "opens", "rewrites", "attaches"])
        else { return nil }
        self.init()
        duration = try members.duration("takes", atMost: .seconds(86_400)) ?? duration
        handsOver = try members.bool("hands_over") ?? true
        if let opens = try members.object("opens", known: ["key", "key_file"]) {
            opening = Opening(
                key: try opens.text("key") ?? "sealed",
                keyFile: try opens.required("key_file", try opens.text("key_file")))
        }
        if let rewrites = try members.object("rewrites", known: ["key", "entries"]) {
            rewriting = try Rewriting(rewrites)
        }
        if let attaches = try members.object("attaches", known: ["key", "files"]) {
            attachment = try Attachment(attaches)
        }
    }
}

extension PhoneServiceExtension.Rewriting {
    fileprivate init(_ members: ProfileReader) throws(PhoneProfileError) {
        self.init(key: try members.required("key", try members.text("key")), entries: [:])
        for entry in try members.object("entries", known: nil)?.all ?? [] {
            let texts = try ProfileReader(
                entry.value, at: entry.pointer,
                known: ["title", "subtitle", "body", "category"])
            entries[entry.name] = Texts(
                title: try texts.text("title"), subtitle: try texts.text("subtitle"), body: try texts.text("body"),
                category: try texts.text("category"))
        }
    }
}

extension PhoneServiceExtension.Attachment {
    fileprivate init(_ members: ProfileReader) throws(PhoneProfileError) {
        self.init(key: try members.required("key", try members.text("key")), files: [:])
        for file in try members.object("files", known: nil)?.all ?? [] {
            if let path = file.value.string {
                files[file.name] = PhoneAttachmentFile(path: path)
                continue
            }
            let inline = try ProfileReader(
                file.value, at: file.pointer, known: ["name", "base64"])
            let text = try inline.required("base64", try inline.text("base64"))
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                throw inline.problem("base64", "This isn't base64.", remedy: "Write what `base64 FILE` prints.")
            }
            files[file.name] = PhoneAttachmentFile(
                name: try inline.required("name", try inline.text("name")), bytes: Array(data))
        }
    }
}

extension PhoneContentExtension {
    init(_ tree: LocatedJSON, at pointer: String, of known: [PhoneNotificationCategory]) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer,
            known: ["categories", "shows", "hides_default", "ratio", "answers", "replaces"])
        self.init(
            categories: try members.required("categories", try members.texts("categories")),
            keys: try members.texts("shows") ?? [],
            hidesDefault: try members.bool("hides_default") ?? false,
            ratio: try members.number("ratio", in: 0.01...10) ?? 1)
        let replaced = try members.object("replaces", known: nil)?.all ?? []
        for entry in replaced {
            guard let items = entry.value.array else {
                throw members.wrongType(entry.value.node, "a list of actions", field: entry.pointer)
            }
            replacements[entry.name] = try PhoneNotificationAction.list(
                items.enumerated().map { ($1, "\(entry.pointer)/\($0)") })
        }
        let answered = try members.object("answers", known: nil)?.all ?? []
        for entry in answered {
            guard let text = entry.value.string, let answer = Answer(rawValue: text) else {
                throw PhoneProfileError(
                    "Unknown answer to an action.", at: entry.pointer, entry.value.position,
                    remedy: "Possible: \(Answer.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            answers[entry.name] = answer
        }
        for entry in replaced + answered { try check(entry, known) }
    }

    /// Checks that an action is one of the extension's categories, or replaces one of them.
    private func check(
        _ entry: (name: String, value: LocatedJSON, pointer: String), _ known: [PhoneNotificationCategory]
    ) throws(PhoneProfileError) {
        var ids = known.filter { categories.contains($0.id) }.flatMap(\.actions).map(\.id)
        ids += replacements.values.flatMap { $0 }.map(\.id)
        guard !ids.contains(entry.name) else { return }
        throw PhoneProfileError(
            "No category of this extension has an action \(entry.name.debugDescription).", at: entry.pointer,
            entry.value.position,
            remedy: ids.isEmpty
                ? "Add the category with its actions to \"categories\"."
                : NearestName.remedy(entry.name, among: ids))
    }
}

extension PhoneLiveActivityProfile {
    init(_ tree: LocatedJSON, at pointer: String) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer, known: ["type", "title", "line", "time", "progress"])
        self.init(
            type: try members.required("type", try members.text("type")), title: try members.text("title"),
            line: try members.text("line"), time: try members.text("time"))
        guard let bar = try members.object("progress", known: ["done", "left", "of"]) else { return }
        let done = try bar.text("done")
        let left = try bar.text("left")
        guard (done == nil) != (left == nil) else {
            throw bar.problem("of", "A progress bar needs either \"done\" or \"left\".", remedy: "Give one of them.")
        }
        progress = Progress(done: done, left: left, whole: try bar.required("of", try bar.text("of")))
    }
}
