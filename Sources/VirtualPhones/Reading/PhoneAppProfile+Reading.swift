import APNSVocabulary
import PushJSON

extension PhoneAppProfile {
    init(_ tree: LocatedJSON, at pointer: String) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer,
            known: [
                "topic", "name", "glyph", "hue", "tokens", "permission", "presents", "settings", "force_quit",
                "categories", "service_extension", "content_extensions", "strings", "live_activities",
            ])
        self.init(topic: try members.required("topic", try members.text("topic")))
        if let suffix = PushType.type(ofTopic: topic)?.topicSuffix {
            throw members.problem(
                "topic", "\(topic.debugDescription) isn't a bundle id.",
                remedy: "Leave out \(suffix.debugDescription).")
        }
        name = try members.text("name")
        glyph = try members.text("glyph")
        hue = try members.text("hue") ?? hue
        tokens = (try members.texts("tokens") ?? []).map { $0.lowercased() }
        permission = try members.choice("permission", Permission.self) ?? .allowed
        presents = try members.choices("presents", Presentation.self) ?? presents
        if let settings = try members.object(
            "settings", known: ["alerts", "badges", "sounds", "time_sensitive", "critical"])
        {
            self.settings.alerts = try settings.bool("alerts") ?? true
            self.settings.badges = try settings.bool("badges") ?? true
            self.settings.sounds = try settings.bool("sounds") ?? true
            self.settings.timeSensitive = try settings.bool("time_sensitive") ?? true
            self.settings.critical = try settings.bool("critical") ?? true
        }
        forceQuit = try members.bool("force_quit") ?? false
        categories = try PhoneProfile.distinct(
            try members.list("categories"), "id", \.id, "The app has two categories with the id",
            PhoneNotificationCategory.init)
        serviceExtension = try PhoneServiceExtension(in: members)
        for (value, pointer) in try members.list("content_extensions") {
            contentExtensions.append(try PhoneContentExtension(value, at: pointer, of: categories))
        }
        for text in try members.object("strings", known: nil)?.all ?? [] {
            guard let string = text.value.plainText else {
                throw members.wrongType(text.value.node, "a text", field: text.pointer)
            }
            strings[text.name] = string
        }
        for (value, pointer) in try members.list("live_activities") {
            liveActivities.append(try PhoneLiveActivityProfile(value, at: pointer))
        }
    }
}

extension PhoneNotificationCategory {
    init(_ tree: LocatedJSON, at pointer: String) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer, known: ["id", "actions", "custom_dismiss"])
        self.init(
            id: try members.required("id", try members.text("id")),
            actions: try PhoneNotificationAction.list(try members.list("actions")),
            reportsDismissal: try members.bool("custom_dismiss") ?? false)
    }
}

extension PhoneNotificationAction {
    static func list(_ items: [(value: LocatedJSON, pointer: String)]) throws(PhoneProfileError)
        -> [PhoneNotificationAction]
    {
        try PhoneProfile.distinct(
            items, "id", \.id, "Two actions have the id", remedy: "The ids of a category's actions must differ.",
            PhoneNotificationAction.init)
    }

    private init(_ tree: LocatedJSON, at pointer: String) throws(PhoneProfileError) {
        let members = try ProfileReader(
            tree, at: pointer,
            known: [
                "id", "title", "kind", "icon", "foreground", "authentication_required", "placeholder", "button",
            ])
        let id = try members.required("id", try members.text("id"))
        guard !PhoneAction.names.contains(id) else {
            throw members.problem(
                "id", "\(id.debugDescription) is a reserved word of the API.",
                remedy: "Use another id, for example in capital letters.")
        }
        let kind = try members.choice("kind", Kind.self) ?? .default
        if kind != .text {
            for name in ["placeholder", "button"] where members.value(name) != nil {
                throw members.problem(
                    name, "Only an action of the kind text has \(name.debugDescription).",
                    remedy: "Add \"kind: text\", or remove it.")
            }
        }
        self.init(
            id: id, title: try members.text("title") ?? id, kind: kind, icon: try members.text("icon"),
            opensApp: try members.bool("foreground") ?? false,
            needsAuthentication: try members.bool("authentication_required") ?? false,
            placeholder: try members.text("placeholder"), button: try members.text("button"))
    }
}
