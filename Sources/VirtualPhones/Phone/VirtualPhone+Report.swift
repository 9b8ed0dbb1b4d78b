import PushPlatform

// What the timeline and the outcome of a notification say.
extension VirtualPhone {
    /// Ends the report of a notification with its last step and its outcome.
    func finish(
        _ report: inout PushReport, _ card: PhoneNotificationCard, _ content: PushContent,
        _ presentation: AlertPresentation,
        _ run: ExtensionRun?, replaced: Int?
    ) {
        let notes = notes(on: card, content, presentation, run, replaced: replaced)
        report.add(
            presentation.kind == .hidden ? .hidden : .shown, whereabouts(card, presentation),
            note: notes.isEmpty ? nil : notes.joined(separator: ". "))
        let whys = whys(of: card, content, presentation, run, replaced: replaced)
        report.outcome = PhoneOutcome(
            presentation.kind, text(of: card, presentation, run, replaced: replaced),
            why: whys.isEmpty ? nil : whys.joined(separator: ". "), replaces: replaced)
    }

    /// The outcome in a few words. A failure is more important than a replacement.
    private func text(
        of card: PhoneNotificationCard, _ presentation: AlertPresentation, _ run: ExtensionRun?, replaced: Int?
    ) -> String {
        guard presentation.kind == .shown else { return presentation.text }
        if card.isRewritten { return "Shown, rewritten" }
        if run?.attachmentProblem != nil { return "Shown, no attachment" }
        if run?.handedOver == false { return "Shown, original" }
        return replaced.map { "Shown, replaces \($0)" } ?? presentation.text
    }

    /// The note of the timeline about the step.
    private func notes(
        on card: PhoneNotificationCard, _ content: PushContent, _ presentation: AlertPresentation, _ run: ExtensionRun?,
        replaced: Int?
    ) -> [String] {
        var notes = content.remarks
        if let replaced { notes.append("Replaces \(replaced), and moves to the top") }
        if card.thread != nil, presentation.list != nil { notes.append("Grouped under \(card.group)") }
        if let category = content.category, card.actions.isEmpty, card.content == nil {
            notes.append("The app has no category \(category.debugDescription), so there are no buttons")
        }
        if content.isMutable, run == nil, app(card.topic).profile.serviceExtension == nil {
            notes.append("mutable-content, but the profile has no service extension")
        }
        if let why = presentation.why { notes.append(why) }
        return notes
    }

    /// The reasons for the outcome, the most important one first.
    private func whys(
        of card: PhoneNotificationCard, _ content: PushContent, _ presentation: AlertPresentation, _ run: ExtensionRun?,
        replaced: Int?
    ) -> [String] {
        var whys: [String] = []
        if replaced != nil, presentation.kind == .shown { whys.append("Moved to the top") }
        if let problem = run?.attachmentProblem {
            whys.append(problem)
        } else if let run, !run.handedOver || run.isRewritten || card.attachment == nil {
            whys += run.notes
        } else if let attachment = card.attachment {
            whys.append("With its \(attachment.type.kind), \(attachment.name)")
        }
        if let why = presentation.why { whys.append(why) }
        if let content = card.content { whys.append("Content extension shows \(counted(content.fields.count, "key"))") }
        whys += content.remarks
        let count = delivered.count { $0.group == card.group && $0.topic == card.topic }
        if card.thread != nil, count > 1, presentation.list != nil { whys.append("\(count) in \(card.group)") }
        return whys
    }

    /// Where and how the user notices it, in a few words.
    private func whereabouts(_ card: PhoneNotificationCard, _ presentation: AlertPresentation) -> String {
        var parts: [String] = []
        if presentation.hasBanner { parts.append("Banner") }
        switch presentation.list {
        case .lock: parts.append("Lock screen")
        case .center, .quiet: parts.append("Notification Center")
        case nil: break
        }
        if card.isLoud, let sound = card.sound { parts.append("sound “\(sound)”") }
        if let badge = card.badge { parts.append("badge \(badge)") }
        return parts.isEmpty ? "Nowhere" : parts.joined(separator: ", ")
    }
}

/// What happened to one push, to be added to its record.
struct PushReport: Sendable {
    let push: Int
    /// The time of the next step. A service extension moves it forward.
    var now: Date
    var stages: [PhoneStage] = []
    var outcome: PhoneOutcome?
    var card: PhoneNotificationCard?

    init(of push: Int, at now: Date) {
        self.push = push
        self.now = now
    }

    /// A report of one step that changes the outcome.
    init(
        of push: Int, at now: Date, _ kind: PhoneStage.Kind, _ text: String, note: String? = nil,
        outcome: PhoneOutcome? = nil
    ) {
        self.init(of: push, at: now)
        add(kind, text, note: note)
        self.outcome = outcome
    }

    mutating func add(_ kind: PhoneStage.Kind, _ text: String, note: String? = nil, meter: PhoneStage.Meter? = nil) {
        stages.append(PhoneStage(kind, at: now, text, note: note, meter: meter))
    }

    /// Ends a report: the user does not see the push.
    mutating func hide(_ text: String, why: String) {
        add(.hidden, text, note: why)
        outcome = PhoneOutcome(.hidden, text, why: why)
    }

    /// Ends a report: the push woke something.
    mutating func wake(_ text: String, why: String? = nil, note: String? = nil) {
        add(.woke, text, note: note ?? why)
        outcome = PhoneOutcome(.woke, text, why: why)
    }
}
