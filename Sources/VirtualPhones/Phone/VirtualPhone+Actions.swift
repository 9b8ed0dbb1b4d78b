import PushPlatform

extension VirtualPhone {
    /// Performs an action.
    ///
    /// - Returns: What it means for pushes.
    /// - Throws: ``PhoneActionError``; nothing has changed then.
    mutating func perform(_ action: PhoneAction, at now: Date) throws(PhoneActionError) -> [PushReport] {
        switch action {
        case .clearAll: return remove(delivered.map(\.push), "Cleared with “clear all”", at: now)
        case .collapse:
            expanded = nil
            return []
        case .openApp(let topic):
            guard apps[topic] != nil else {
                throw PhoneActionError(
                    .noApp, "\(profile.name) has no app \(topic.debugDescription).",
                    remedy: "It has: \(apps.keys.sorted().joined(separator: ", ")).")
            }
            return open(topic, at: now)
        case .expand(let push):
            expanded = try shown(push).push
            return []
        case .tap(let push): return tap(try shown(push), at: now)
        case .dismiss(let push): return dismiss(try shown(push), at: now)
        case .remove(let push): return remove([try shown(push).push], "Removed by the app", at: now)
        case .keep(let push): return keep(try quiet(push, "keep"), at: now)
        case .allow(let push):
            guard let reports = allowActivity(push, at: now) else {
                throw PhoneActionError(
                    .notShown, "Push \(push) isn't the newest of a Live Activity on \(profile.name).")
            }
            return reports
        case .turnOff(let push): return turnOff(try shown(push), at: now)
        case .press(let push, let id, let text): return try press(id, on: try shown(push), text, at: now)
        }
    }

    private func shown(_ push: Int) throws(PhoneActionError) -> DeliveredNotification {
        let inBanner = banner.flatMap { $0.shown.push == push ? $0.shown : nil }
        guard let found = delivered.last(where: { $0.push == push }) ?? inBanner else {
            throw PhoneActionError(.notShown, "Push \(push) isn't on the screen of \(profile.name).")
        }
        return found
    }

    private func quiet(_ push: Int, _ name: String) throws(PhoneActionError) -> DeliveredNotification {
        let found = try shown(push)
        guard found.list == .quiet else {
            throw PhoneActionError(
                .unknownAction,
                "Push \(push) wasn't delivered with provisional permission, so there is no \(name.debugDescription).",
                remedy: Self.possible(found.card))
        }
        return found
    }

    // MARK: Tap and dismiss

    private mutating func tap(_ shown: DeliveredNotification, at now: Date) -> [PushReport] {
        takeAway([shown.push])
        let report = PushReport(
            of: shown.push, at: now, .acted, "Tapped", note: "\(app(shown.topic).profile.shownName) opens",
            outcome: PhoneOutcome(.acted, "Opened by a tap", why: "Default action"))
        return [report] + open(shown.topic, at: now)
    }

    private mutating func dismiss(_ shown: DeliveredNotification, at now: Date) -> [PushReport] {
        guard app(shown.topic).profile.category(shown.card.category)?.reportsDismissal == true else {
            return remove([shown.push], "Dismissed; not reported to the app", at: now)
        }
        takeAway([shown.push])
        let why = "The category \(shown.card.category ?? "") has custom_dismiss"
        return [
            PushReport(
                of: shown.push, at: now, .acted, "Dismissed, and reported to the app", note: why,
                outcome: PhoneOutcome(.acted, "Dismissed, reported to the app", why: why))
        ]
    }

    // MARK: On trial

    private mutating func keep(_ shown: DeliveredNotification, at now: Date) -> [PushReport] {
        apps[shown.topic]?.permission = .allowed
        for index in delivered.indices where delivered[index].topic == shown.topic && delivered[index].list == .quiet {
            delivered[index].list = .center
        }
        let why = "Notifications of \(app(shown.topic).profile.shownName) are allowed from now on"
        return [
            PushReport(
                of: shown.push, at: now, .acted, "Keep", note: why, outcome: PhoneOutcome(.acted, "Kept", why: why))
        ]
    }

    private mutating func turnOff(_ shown: DeliveredNotification, at now: Date) -> [PushReport] {
        apps[shown.topic]?.permission = .denied
        let name = app(shown.topic).profile.shownName
        let others = delivered.filter { $0.topic == shown.topic && $0.push != shown.push }.map(\.push)
        takeAway([shown.push])
        let why = "Notifications of \(name) are denied from now on"
        return remove(others, "Turned off", at: now) + [
            PushReport(
                of: shown.push, at: now, .acted, "Turn off", note: why,
                outcome: PhoneOutcome(.acted, "Turned off", why: why))
        ]
    }

    // MARK: Buttons

    private mutating func press(
        _ id: String, on shown: DeliveredNotification, _ text: String?, at now: Date
    ) throws(PhoneActionError) -> [PushReport] {
        let action = try button(id, of: shown, text)
        let view = app(shown.topic).profile.contentExtension(for: shown.card.category)
        let answer = view.map { $0.answers[id] ?? .dismissAndForward }
        var notes: [String] = []
        if action.needsAuthentication || action.opensApp, switches.locked {
            notes.append("The user unlocked the phone")
        }
        if let answer { notes.append("The content extension answers \(answer.rawValue)") }
        if answer == .keep {
            if let buttons = view?.replacements[id] { notes.append(replaceButtons(of: shown.push, by: buttons)) }
        } else {
            takeAway([shown.push])
        }
        if action.needsAuthentication, switches.locked { unlock() }
        let isForwarded = answer == nil || answer == .dismissAndForward
        let reports = action.opensApp && isForwarded ? open(shown.topic, at: now) : []
        let how = text.map { "“\($0)” sent by “\(action.title)”" } ?? "“\(action.title)” pressed"
        let effect =
            !isForwarded ? "The content extension handled it" : action.opensApp ? "Opened the app" : "App not opened"
        var report = PushReport(
            of: shown.push, at: now, .acted, how, note: notes.isEmpty ? nil : notes.joined(separator: ". "),
            outcome: PhoneOutcome(.acted, "\(action.title) by button", why: "Action \(id). \(effect)"))
        report.card = delivered.last { $0.push == shown.push }?.card
        return [report] + reports
    }

    /// The button with this id, which takes the text that is given.
    private func button(
        _ id: String, of shown: DeliveredNotification, _ text: String?
    ) throws(PhoneActionError) -> PhoneNotificationAction {
        guard let action = shown.card.actions.first(where: { $0.id == id }) else {
            throw PhoneActionError(
                .unknownAction, "Push \(shown.push) has no action \(id.debugDescription).",
                remedy: Self.possible(shown.card))
        }
        if action.kind == .text, text?.isEmpty ?? true {
            throw PhoneActionError(
                .textMissing, "The action \(id) sends a text.",
                remedy: "Give the text that the user types as \"text\".")
        }
        if action.kind != .text, text != nil {
            throw PhoneActionError(.textUnwanted, "The action \(id) takes no text.", remedy: "Leave out \"text\".")
        }
        return action
    }

    /// Replaces the buttons of a notification that stays.
    ///
    /// - Returns: What to note about it.
    private mutating func replaceButtons(of push: Int, by buttons: [PhoneNotificationAction]) -> String {
        if let index = delivered.lastIndex(where: { $0.push == push }) { delivered[index].card.actions = buttons }
        return "Now its buttons are \(buttons.map(\.title).joined(separator: ", "))"
    }

    /// The actions that a notification has, for the remedy.
    private static func possible(_ card: PhoneNotificationCard) -> String {
        let buttons = card.actions.map(\.id)
        let always = "tap, dismiss, remove, expand" + (card.isQuiet ? ", keep, turn_off" : "")
        return "It has: \((buttons + [always]).joined(separator: ", "))."
    }
}
