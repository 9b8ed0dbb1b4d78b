import PushCommandLine
internal import PushJSON
import PushProvider

/// Inspects a device token. Only its form is known.
enum DeviceTokenInspection {
    static func inspect(_ text: String, name: String? = nil) -> Inspection {
        let pasted: PastedDeviceToken
        do throws(DeviceTokenError) {
            pasted = try PastedDeviceToken(text)
        } catch {
            return .unreadable(
                .deviceToken, name: name ?? DeviceToken.shortened(text), error.description, .invalidInput)
        }
        let digits = pasted.token.hex.utf8.count
        let kind = ProbableKind(digits: digits)
        var inspection = Inspection(.deviceToken, name: name ?? pasted.token.shortened, title: "a device token")
        inspection.add("length", "\(digits) hex digits, \(digits / 2) bytes")
        inspection.add("probably", kind.sentence)
        inspection.add(
            "environment",
            """
            not visible in the token: apps run from Xcode have sandbox tokens; TestFlight, ad hoc and App Store apps \
            have production tokens
            """
        )
        inspection["token"] = .string(pasted.token.hex)
        inspection["digits"] = .integer(digits)
        inspection["probable_kind"] = .string(kind.rawValue)
        if let note = pasted.note { inspection.notes.append(note + ".") }
        if pasted.token.hex.contains(where: \.isUppercase) {
            inspection.notes.append(
                "It has upper-case letters. Store tokens in lower case, or one token may be counted as two.")
        }
        if Set(pasted.token.hex).count <= 2 {
            inspection.notes.append("It looks like a placeholder. Use the token that the app prints.")
        }
        return inspection
    }

    /// The probable kind, by the length. Apple guarantees no length; these occur in practice.
    private enum ProbableKind: String {
        case app
        case liveActivity = "live_activity"
        case short
        case other

        init(digits: Int) {
            switch digits {
            case 64: self = .app
            case 160: self = .liveActivity
            case ..<64: self = .short
            default: self = .other
            }
        }

        var sentence: String {
            switch self {
            case .app: "an app on a device; tokens for calls and complications look the same"
            case .liveActivity: "a Live Activity, or an app on a simulator"
            case .short: "incomplete, or for a test: an app token has 64 digits today"
            case .other: "a simulator, or another kind: an app token on a device has 64 digits today"
            }
        }
    }
}
