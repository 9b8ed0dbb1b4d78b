import PushPlatform

extension VirtualPhone {
    /// The maximum number of further cards in a group on the screen. All of them are counted.
    private static let maximumOthers = 20

    func screen(at now: Date) -> PhoneScreen {
        var screen = PhoneScreen(phone: profile.id, time: now, isLocked: switches.locked)
        screen.lock = entries { $0.list == .lock }
        screen.center = entries { $0.list == .center }
        screen.quiet = entries { $0.list == .quiet }
        if let banner, banner.until > now {
            let shown = delivered.last { $0.push == banner.shown.push } ?? banner.shown
            screen.banner = PhoneScreen.Entry(card: shown.card, group: shown.group)
        }
        screen.activities =
            activities.filter { activity in activity.dismissal.map { $0 > now } ?? true }
            .sorted { ($0.relevance, $0.startedAt) > ($1.relevance, $1.startedAt) }
            .map { $0.card(app($0.topic).profile) }
        screen.badges = apps.compactMapValues(\.shownBadge)
        screen.expanded = expanded
        screen.foreground = switches.foreground.map { .init(topic: $0, presented: presented) }
        return screen
    }

    /// The groups of the notifications in a list, the newest first.
    private func entries(where isThere: (DeliveredNotification) -> Bool) -> [PhoneScreen.Entry] {
        var groups: [[DeliveredNotification]] = []
        var indexes: [[String]: Int] = [:]
        for shown in delivered.reversed() where isThere(shown) {
            let key = [shown.topic, shown.group]
            if let index = indexes[key] {
                groups[index].append(shown)
            } else {
                indexes[key] = groups.count
                groups.append([shown])
            }
        }
        return groups.compactMap(entry)
    }

    private func entry(_ group: [DeliveredNotification]) -> PhoneScreen.Entry? {
        guard let newest = group.first else { return nil }
        let others = group.dropFirst()
        let count = others.reduce(0) { $0 + $1.summaryCount }
        let from = others.compactMap(\.summaryArgument).first
        return PhoneScreen.Entry(
            card: newest.card, others: others.prefix(Self.maximumOthers).map(\.card), more: others.map(\.push),
            group: newest.group,
            summary: others.isEmpty
                ? nil : "\(counted(count, "more notification"))\(from.map { " from \($0)" } ?? "")")
    }
}
