import PushPlatform

extension VirtualPhone {
    /// Shows a notification, or finds out why it is not shown.
    mutating func show(_ push: PhonePush, _ report: PushReport) -> [PushReport] {
        var report = report
        let app = app(push.topic)
        guard var content = PushContent(push.body, strings: app.profile.strings) else {
            report.hide("Not shown: no payload", why: "The payload isn't a JSON object")
            return [report]
        }
        guard content.isVisible || content.sound != nil || content.badge != nil else {
            guard content.wakesApp else {
                report.hide("Nothing to show", why: "The payload has no alert, sound or badge")
                return [report]
            }
            return wakeApp(push, report)
        }
        let run = runExtension(on: content, of: app, &report)
        if let run, run.handedOver { content = run.content }
        let presentation = AlertPresentation(of: content, app, switches)
        var card = card(of: content, push, app, presentation, at: report.now)
        if let run {
            card.attachment = run.attachment
            card.attachmentAddress = run.attachmentAddress
            card.isRewritten = run.isRewritten
        }
        return present(card, content, push, presentation, run, report)
    }

    /// Runs the service extension, if there is one and the notification qualifies.
    private func runExtension(
        on content: PushContent, of app: PhoneApp, _ report: inout PushReport
    ) -> ExtensionRun? {
        guard content.isMutable else { return nil }
        guard content.isVisible, app.profile.settings.alerts else {
            report.add(
                .hidden, "Service extension not run",
                note: content.isVisible ? "The alerts of the app are off" : "It runs only for a visible alert")
            return nil
        }
        guard let service = app.profile.serviceExtension else { return nil }
        let run = ExtensionRun(service, on: content, strings: app.profile.strings, opener: opener)
        let seconds = run.duration / .seconds(1)
        report.now = report.now.addingTimeInterval(seconds)
        report.add(
            .ran, "\(Self.text((seconds * 100).rounded() / 100)) s of 30 s",
            note: run.notes.isEmpty ? nil : run.notes.joined(separator: ". "),
            meter: .init(used: seconds, limit: PhoneServiceExtension.timeLimit / .seconds(1)))
        return run
    }

    private func card(
        of content: PushContent, _ push: PhonePush, _ app: PhoneApp, _ presentation: AlertPresentation, at now: Date
    ) -> PhoneNotificationCard {
        var card = PhoneNotificationCard(push: push.number, topic: push.topic, time: now)
        card.app = app.profile.name
        card.title = content.title
        card.subtitle = content.subtitle
        card.body = content.body
        card.level = presentation.level
        card.sound = content.sound?.name
        card.volume = content.sound?.volume
        card.thread = content.thread
        card.category = content.category
        card.target = content.target
        card.actions = app.profile.category(content.category)?.actions ?? []
        card.content = app.profile.contentExtension(for: content.category).map { view in
            PhoneNotificationCard.Content(
                fields: view.keys.compactMap { key in
                    content.text(of: key).map { PhoneNotificationCard.Content.Field(key: key, value: $0) }
                },
                hidesDefault: view.hidesDefault, ratio: view.ratio)
        }
        card.isQuiet = presentation.kind == .quiet
        card.isLoud = presentation.hasSound
        card.badge = presentation.setsBadge ? content.badge : nil
        return card
    }

    /// Puts a card where it belongs.
    private mutating func present(
        _ card: PhoneNotificationCard, _ content: PushContent, _ push: PhonePush, _ presentation: AlertPresentation,
        _ run: ExtensionRun?, _ report: PushReport
    ) -> [PushReport] {
        var report = report
        var reports: [PushReport] = []
        if let badge = card.badge { apps[push.topic]?.badge = badge == 0 ? nil : badge }
        if content.wakesApp, apps[push.topic]?.forceQuit != true { apps[push.topic]?.isRunning = true }
        if switches.foreground == push.topic, !switches.locked { presented = foreground(content, card, presentation) }
        report.card = card
        guard content.isVisible else {
            let what = [
                card.isLoud ? "sound" : nil, card.badge.map { "badge \($0)" },
            ].compactMap(\.self).joined(separator: " and ")
            let text = what.isEmpty ? "Nothing to notice" : "Only \(what)"
            report.add(what.isEmpty ? .hidden : .shown, text, note: "The payload has no alert")
            report.outcome = PhoneOutcome(what.isEmpty ? .hidden : .shown, text, why: "The payload has no alert")
            return [report]
        }
        var replaced: Int?
        if presentation.list != nil, let old = identical(to: push) {
            replaced = old
            reports.append(replace(old, by: push, at: report.now))
        }
        let shown = DeliveredNotification(
            card, identifier: push.collapseID, list: presentation.list ?? .center,
            summaryArgument: content.summaryArgument, summaryCount: content.summaryCount)
        if presentation.list != nil {
            delivered.append(shown)
            reports += dropOldest(at: report.now)
        }
        if presentation.hasBanner { banner = (shown, report.now.addingTimeInterval(Self.bannerTime)) }
        finish(&report, card, content, presentation, run, replaced: replaced)
        return reports + [report]
    }

    private func foreground(
        _ content: PushContent, _ card: PhoneNotificationCard, _ presentation: AlertPresentation
    ) -> [PhoneAppProfile.Presentation] {
        var presented: [PhoneAppProfile.Presentation] = []
        if presentation.hasBanner, content.isVisible { presented.append(.banner) }
        if presentation.list != nil, content.isVisible { presented.append(.list) }
        if card.isLoud { presented.append(.sound) }
        if card.badge != nil { presented.append(.badge) }
        return presented
    }

    // MARK: Replacing

    /// The notification on the screen that has the same collapse id.
    private func identical(to push: PhonePush) -> Int? {
        guard let identifier = push.collapseID else { return nil }
        return delivered.last { $0.identifier == identifier && $0.topic == push.topic }?.push
    }

    private mutating func replace(_ old: Int, by push: PhonePush, at now: Date) -> PushReport {
        takeAway([old])
        let why = "By \(push.number), collapse id \(push.collapseID ?? "")"
        return PushReport(
            of: old, at: now, .replaced, why,
            outcome: PhoneOutcome(.replaced, "Replaced by \(push.number)", why: why, replacedBy: push.number))
    }

    private mutating func dropOldest(at now: Date) -> [PushReport] {
        guard delivered.count > Self.maximumDelivered, let oldest = delivered.first else { return [] }
        takeAway([oldest.push])
        return [Self.forgotten(oldest.push, keeping: Self.maximumDelivered, "notifications", at: now)]
    }
}
