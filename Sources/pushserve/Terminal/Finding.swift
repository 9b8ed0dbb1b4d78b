import PushCommandLine
import PushJSON

/// What `pushserve check` found about one thing.
struct Finding: Equatable, Sendable {
    enum Result: String, Sendable {
        case ok
        case warning
        case failed
        case skipped
    }

    /// What was checked: `configuration`, `database`, `inbox`, `tls`, `credentials`, `delivery`, `recipients`, `webhook`, `server`.
    var check: String
    /// The app; `nil` if it concerns the service.
    var app: String?
    var result: Result
    /// What was found, as a sentence.
    var fact: String
    /// What to do; `nil` if there is nothing to do.
    var remedy: String?
    /// Whole days until the certificate expires; `nil` without a certificate.
    var daysLeft: Int?
    var status = ExitStatus.success

    static func ok(_ check: String, app: String? = nil, _ fact: String, daysLeft: Int? = nil) -> Finding {
        Finding(check: check, app: app, result: .ok, fact: fact, daysLeft: daysLeft)
    }

    static func warning(
        _ check: String, app: String? = nil, _ fact: String, remedy: String? = nil, daysLeft: Int? = nil
    ) -> Finding {
        Finding(check: check, app: app, result: .warning, fact: fact, remedy: remedy, daysLeft: daysLeft)
    }

    static func failed(
        _ check: String, app: String? = nil, _ fact: String, remedy: String? = nil, _ status: ExitStatus
    ) -> Finding {
        Finding(check: check, app: app, result: .failed, fact: fact, remedy: remedy, status: status)
    }

    // MARK: Output

    /// `failed   shop: credentials: The certificate has expired. Create a new one.`
    var text: String {
        let label = result.rawValue.padded(to: 9)
        return
            "\(label)\(app.map { "\($0): " } ?? "")\(check): \([fact, remedy].compactMap(\.self).joined(separator: " "))"
    }

    var line: JSONLine {
        [
            "check": .string(check), "app": app.map { .string($0) }, "verdict": .string(result.rawValue),
            "fact": .string(fact), "remedy": remedy.map { .string($0) }, "days_left": daysLeft.map { .integer($0) },
        ]
    }
}
