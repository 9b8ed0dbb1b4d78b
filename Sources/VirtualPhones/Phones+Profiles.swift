public import PushPlatform

// The phones themselves: profiles, switches, and what a user does on them.
extension Phones {
    /// The ids of the phones, in order.
    public var ids: [String] { phones.map(\.profile.id) }

    /// The switches and the apps of a phone; `nil` if there is none with this id.
    public func phone(_ id: String) -> PhoneState? { index(of: id).map { phones[$0].state } }

    /// What a phone shows.
    ///
    /// - Parameters:
    ///   - id: The id of the phone.
    ///   - now: The time. Call ``timePassed(to:)`` before.
    /// - Returns: The screen; `nil` if there is no such phone.
    public func screen(of id: String, at now: Date) -> PhoneScreen? { index(of: id).map { phones[$0].screen(at: now) } }

    /// Adds a phone, or replaces its profile. Its screen does not change.
    ///
    /// - Returns: Whether it is new; `nil` if there are too many phones already.
    public mutating func put(_ profile: PhoneProfile, at now: Date) -> Bool? {
        defer { noteListed() }
        guard let index = index(of: profile.id) else {
            guard phones.count < Self.maximumPhones else { return nil }
            phones.append(VirtualPhone(profile, opener: opener))
            apply([], of: profile.id)
            return true
        }
        apply(phones[index].apply(profile, at: now), of: profile.id)
        return false
    }

    /// Replaces all phones. A phone whose id stays keeps its screen. A reset returns to these profiles.
    public mutating func replace(with profiles: [PhoneProfile], at now: Date) {
        guard !profiles.isEmpty else { return }
        profilesAtStart = profiles
        let kept = Set(profiles.map(\.id))
        for id in ids where !kept.contains(id) { drop(id) }
        for profile in profiles { _ = put(profile, at: now) }
        phones.sort { left, right in
            let order = profiles.map(\.id)
            return (order.firstIndex(of: left.profile.id) ?? .max) < (order.firstIndex(of: right.profile.id) ?? .max)
        }
    }

    /// Removes a phone. The last one cannot be removed.
    ///
    /// - Returns: Whether it was removed.
    public mutating func remove(_ id: String) -> Bool {
        guard phones.count > 1, index(of: id) != nil else { return false }
        drop(id)
        noteListed()
        return true
    }

    private mutating func drop(_ id: String) {
        phones.removeAll { $0.profile.id == id }
        let gone = devices.filter { $0.value == id }.map(\.key)
        for device in gone { devices[device] = nil }
        deviceOrder.removeAll { devices[$0] == nil }
        apply([], of: id)
    }

    /// Changes the switches of a phone.
    ///
    /// - Parameters:
    ///   - id: The id of the phone.
    ///   - now: The time.
    ///   - change: Changes the switches.
    /// - Returns: The phone; `nil` if there is none with this id.
    @discardableResult
    public mutating func flip(
        _ id: String, at now: Date, _ change: (inout PhoneSwitches) -> Void
    ) -> PhoneState? {
        guard let index = index(of: id) else { return nil }
        var switches = phones[index].switches
        change(&switches)
        apply(phones[index].flip(to: switches, at: now), of: id)
        return phones[index].state
    }

    /// What a user can change about an app.
    public struct AppChange: Sendable, Hashable {
        /// Whether notifications are allowed.
        public var permission: PhoneAppProfile.Permission?
        /// What it presents in the foreground.
        public var presents: Set<PhoneAppProfile.Presentation>?
        /// Whether the user has ended it.
        public var forceQuit: Bool?
        /// Whether it runs.
        public var isRunning: Bool?

        /// Creates a change of nothing.
        public init() {}
    }

    /// Changes an app on a phone.
    ///
    /// - Returns: The phone; `nil` if there is no such phone or app.
    @discardableResult
    public mutating func change(_ topic: String, on id: String, at now: Date, _ change: AppChange) -> PhoneState? {
        guard let index = index(of: id), phones[index].apps[topic] != nil else { return nil }
        let reports = phones[index].change(topic, at: now) { app in
            app.permission = change.permission ?? app.permission
            app.presents = change.presents ?? app.presents
            app.forceQuit = change.forceQuit ?? app.forceQuit
            app.isRunning = change.isRunning ?? app.isRunning
            if change.isRunning == true { app.forceQuit = false }
        }
        apply(reports, of: id)
        return phones[index].state
    }

    /// Performs an action on a phone.
    ///
    /// - Throws: ``PhoneActionError``; nothing has changed then.
    public mutating func perform(_ action: PhoneAction, on id: String, at now: Date) throws(PhoneActionError) {
        guard let index = index(of: id) else {
            throw PhoneActionError(.noPhone, "There is no phone \(id.debugDescription).")
        }
        if let push = action.push, records[push]?.card == nil || records[push]?.phone != id,
            phones[index].screen(at: now).card(of: push) == nil
        {
            throw PhoneActionError(.neverShown, "\(phones[index].profile.name) has never shown push \(push).")
        }
        do throws(PhoneActionError) {
            apply(try phones[index].perform(action, at: now), of: id)
        } catch {
            guard error.code == .notShown, let outcome = action.push.flatMap({ records[$0]?.outcome }) else {
                throw error
            }
            throw PhoneActionError(
                .notShown, error.message,
                remedy: [outcome.text, outcome.why].compactMap(\.self).joined(separator: ": ") + ".")
        }
    }
}
