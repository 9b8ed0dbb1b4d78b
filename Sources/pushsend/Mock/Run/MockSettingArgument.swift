import ArgumentParser
import MockAPNs
import MockConsole

/// `NAME=VALUE` for one setting of a mock: how it behaves where APNs is uncertain.
struct MockSettingArgument {
    let name: String
    private let value: String

    init(_ argument: String) throws(ValidationError) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("use NAME=VALUE, for example idle_time=30s")
        }
        (name, value) = (parts[0], parts[1])
        var trial = MockSettings()
        try apply(to: &trial)
    }

    func apply(to settings: inout MockSettings) throws(ValidationError) {
        do throws(SettingText.Mistake) {
            try SettingText.apply(name, value, to: &settings)
        } catch {
            // argument-parser adds the full stop.
            throw ValidationError(
                error.description.hasSuffix(".") ? String(error.description.dropLast()) : error.description)
        }
    }
}
