import PushCommandLine
import PushProvider
import Testing

@testable import PushJSON
@testable import pushsend

@Suite struct DeviceTokenInspectionTests {
    @Test(arguments: [(8, "short"), (64, "app"), (100, "other"), (160, "live_activity"), (200, "other")])
    func `the length tells what it probably is`(digits: Int, kind: String) {
        let inspection = DeviceTokenInspection.inspect(String("5f3ad1c0".cycled.prefix(digits)))
        #expect(inspection.problem == nil)
        #expect(inspection["probable_kind"] == .string(kind))
        #expect(inspection["digits"] == .integer(digits))
    }

    @Test func `a console line is understood, and what was dropped is said`() {
        let inspection = DeviceTokenInspection.inspect(
            "Registered with device token: " + String("5f3ad1c0".cycled.prefix(64)))
        #expect(inspection.problem == nil)
        #expect(inspection.notes == ["the words before the device token were dropped."])
        #expect(inspection.name == "5f3ad1c0…d1c0")
    }

    @Test func `capital letters and placeholders have a note`() {
        #expect(DeviceTokenInspection.inspect(String("5F3AD1C0".cycled.prefix(64))).notes.count == 1)
        #expect(DeviceTokenInspection.inspect(String(repeating: "0", count: 64)).notes.count == 1)
    }

    @Test func `what cannot be one is exit code 65, the token shortened`() {
        let inspection = DeviceTokenInspection.inspect(String("5f3ad1c0".cycled.prefix(63)))
        #expect(!inspection.isReadable)
        #expect(inspection.status == .invalidInput)
        #expect(inspection.complaint.contains("odd number"))
        #expect(inspection.complaint.count < 150)
    }
}

extension String {
    fileprivate var cycled: String { String(repeating: self, count: 30) }
}
