import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import PushTime

/// What the mock does to its clients: faults, devices, settings and the clock, from a file or a ready scenario.
struct Scenario: Sendable {
    var name: String
    var description: String
    var faults: [MockFault] = []
    /// The devices, as they are written. What has no time is so since the start of the scenario.
    var devices: [(token: DeviceToken, tree: LocatedJSON, pointer: String)] = []
    /// Changes the settings; `nil` if the scenario has none.
    var settings: LocatedJSON?
    /// How far the clock is moved; zero to leave it.
    var clock = Duration.zero
    /// Key ids that are no longer trusted; `nil` for those of all keys.
    var revokedKeys: [String]? = []

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - tree: YAML or JSON.
    ///   - name: The name, if the document has none.
    /// - Throws: ``APIProblem``, with line and column.
    init(_ tree: LocatedJSON, name: String) throws {
        // A list is a list of faults, as in the files for --fault.
        if tree.array != nil {
            self.name = name
            description = ""
            faults = try FaultForm.faults(tree)
            return
        }
        let form = try FormReader(
            tree, known: ["name", "description", "settings", "clock", "revoked_keys", "devices", "faults"])
        self.name = try form.string("name") ?? name
        description = try form.string("description") ?? ""
        if let tree = form.value("settings") {
            var trial = MockSettings()
            try SettingsForm.read(tree, at: "/settings", into: &trial)
            settings = tree
        }
        if let text = try form.string("clock") {
            guard let duration = Duration(unitText: text, signed: true) else {
                throw form.problem(
                    "clock", "\(text.debugDescription) isn't a duration.",
                    remedy: "Write how far to move it: 3h, -30m.")
            }
            clock = duration
        }
        revokedKeys = form.value("revoked_keys")?.string == "all" ? nil : try form.strings("revoked_keys") ?? []
        for (item, pointer) in try form.list("devices") {
            devices.append((try DeviceForm.device(item, at: pointer, now: .now).token, item, pointer))
        }
        if let tree = form.value("faults") { faults = try FaultForm.faults(tree, at: "/faults") }
    }
}

/// The active scenario of a mock. It can be replaced or ended.
struct ActiveScenario: Sendable {
    let scenario: Scenario
    private let faults: [MockFault.ID]
    private let settings: (before: MockSettings, with: MockSettings)
    private let devices: [MockDevice]
    private let devicesBefore: [DeviceToken: MockDevice]
    private let revokedKeys: [String]

    /// Activates a scenario. It is checked before anything changes.
    ///
    /// - Throws: ``APIProblem``, and `MockFaultError`.
    init(_ scenario: Scenario, on mock: MockServer) throws {
        self.scenario = scenario
        revokedKeys = try Self.keys(scenario.revokedKeys, of: mock)
        let tokens = Set(scenario.devices.map(\.token))
        devicesBefore = tokens.reduce(into: [:]) { $0[$1] = mock.device($1) }
        try DeviceForm.checkRoom(for: tokens.count - devicesBefore.count, in: mock)
        let before = mock.settings
        var changed = before
        if let tree = scenario.settings { try SettingsForm.read(tree, at: "/settings", into: &changed) }
        faults = try mock.inject(scenario.faults)
        settings = (before, changed)
        mock.settings = changed
        if scenario.clock != .zero { mock.shiftClock(by: scenario.clock) }
        let now = mock.now
        devices = try scenario.devices.map { try DeviceForm.device($0.tree, at: $0.pointer, now: now) }
        for device in devices { mock.register(device) }
        for key in revokedKeys { mock.suspendKey(key) }
    }

    /// Checks the keys of a scenario that takes the place of another. Nothing changes.
    ///
    /// - Throws: ``APIProblem``.
    static func check(_ scenario: Scenario, on mock: MockServer, inPlaceOf old: ActiveScenario?) throws(APIProblem) {
        _ = try keys(scenario.revokedKeys, of: mock, and: old?.revokedKeys ?? [])
    }

    /// The key ids to revoke. `suspended` are those that are trusted again before.
    ///
    /// - Throws: ``APIProblem`` if revoking them would change nothing.
    private static func keys(
        _ wanted: [String]?, of mock: MockServer, and suspended: [String] = []
    ) throws(APIProblem) -> [String] {
        guard wanted != [] else { return [] }
        guard mock.checksKeys else {
            throw .invalid(
                "The mock accepts every provider token, so no key can be revoked.", field: "/revoked_keys",
                remedy: "Start it without --auth any.")
        }
        let known = mock.trustedKeys.map(\.keyID) + suspended
        if let other = wanted?.first(where: { !known.contains($0) }) {
            throw .invalid(
                "The mock doesn't trust a key with the id \(other.debugDescription).", field: "/revoked_keys",
                remedy: "Its keys: \(known.joined(separator: ", ")).")
        }
        return wanted ?? known
    }

    /// Removes its faults, and brings back settings, devices, clock and keys. Later changes by others stay.
    func end(on mock: MockServer) {
        for id in faults { mock.remove(id) }
        mock.settings = SettingsForm.ended(settings.with, before: settings.before, now: mock.settings)
        for device in devices where mock.device(device.token) == device {
            if let before = devicesBefore[device.token] { mock.register(before) } else { mock.forget(device.token) }
        }
        mock.endClockShift()
        for key in revokedKeys { mock.resumeKey(key) }
    }
}

/// Why a scenario cannot be played.
public struct MockScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line and the column, from 1; `nil` if the mistake has no position.
    public let line: Int?
    /// The column, from 1.
    public let column: Int?
    /// What is wrong and what to do, in sentences, without the position.
    public let description: String

    init(_ error: any Error) {
        let problem = (error as? any ProblemError)?.problem ?? .invalid("The scenario can't be played.")
        line = problem.position?.line
        column = problem.position?.column
        let field = problem.field.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        description = field + [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " ")
    }
}
