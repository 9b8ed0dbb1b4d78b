import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import PushTime

/// What the mock does to its clients: faults, devices, settings and the clock, from a file or a ready scenario.
struct Scenario: Sendable {
    var name: String
    var description: String
    var faults: [MockFault] = []
    var devices: [MockDevice] = []
    /// Changes the settings; `nil` if the scenario has none.
    var settings: LocatedJSON?
    /// How far the clock is moved; zero to leave it.
    var clock = Duration.zero
    /// Key ids that are no longer trusted.
    var revokedKeys: [String] = []

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
        revokedKeys = try form.strings("revoked_keys") ?? []
        for (item, pointer) in try form.list("devices") {
            devices.append(try DeviceForm.device(item, at: pointer, clock: clock))
        }
        if let tree = form.value("faults") { faults = try FaultForm.faults(tree, at: "/faults") }
    }
}

/// The active scenario of a mock. It can be replaced or ended.
struct ActiveScenario: Sendable {
    let scenario: Scenario
    private let faults: [MockFault.ID]
    /// The settings before the scenario and with it.
    private let settings: (before: MockSettings, with: MockSettings)
    private let devicesBefore: [MockDevice]

    /// Activates a scenario. It is checked before anything changes.
    ///
    /// - Throws: ``APIProblem``.
    init(_ scenario: Scenario, on mock: MockServer) throws {
        self.scenario = scenario
        devicesBefore = scenario.devices.compactMap { mock.device($0.token) }
        let before = mock.settings
        var changed = before
        if let tree = scenario.settings { try SettingsForm.read(tree, at: "/settings", into: &changed) }
        var ids: [MockFault.ID] = []
        for fault in scenario.faults {
            do throws(MockFaultError) {
                ids.append(try mock.inject(fault))
            } catch {
                for id in ids { mock.remove(id) }
                throw APIProblem(error)
            }
        }
        faults = ids
        settings = (before, changed)
        mock.settings = changed
        for device in scenario.devices { mock.register(device) }
        if scenario.clock != .zero { mock.shiftClock(by: scenario.clock) }
        for key in scenario.revokedKeys { mock.suspendKey(key) }
    }

    /// Ends the scenario: removes its faults, and brings back settings, devices, clock and keys. Later changes by others stay.
    func end(on mock: MockServer) {
        for id in faults { mock.remove(id) }
        mock.settings = SettingsForm.ended(settings.with, before: settings.before, now: mock.settings)
        for device in scenario.devices where mock.device(device.token) == device {
            mock.forget(device.token)
            if let before = devicesBefore.first(where: { $0.token == device.token }) { mock.register(before) }
        }
        mock.endClockShift()
        for key in scenario.revokedKeys { mock.resumeKey(key) }
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

    init(_ problem: APIProblem) {
        line = problem.position?.line
        column = problem.position?.column
        let field = problem.field.flatMap { $0.isEmpty ? nil : "\($0): " } ?? ""
        description = field + [problem.detail, problem.remedy].compactMap(\.self).joined(separator: " ")
    }

    init(_ error: JSONTextError) {
        line = error.position.line
        column = error.position.column
        description = [error.message, error.remedy].compactMap(\.self).joined(separator: " ")
    }

    static func from(_ error: any Error) -> MockScenarioError {
        switch error {
        case let error as APIProblem: MockScenarioError(error)
        case let error as JSONTextError: MockScenarioError(error)
        default: MockScenarioError(.invalid("The scenario can't be played."))
        }
    }
}
