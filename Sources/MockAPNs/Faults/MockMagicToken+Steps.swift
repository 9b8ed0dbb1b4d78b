extension MockMagicToken {
    /// What acts on the request instead of the usual answer; `nil` if the answer is only another one.
    var steps: [MockFaultStep]? {
        switch self {
        case .slow: [.wait(.exactly(.seconds(3))), .judge]
        case .silent: [.noAnswer]
        default: nil
        }
    }

    /// The name of the fault that slow and silent tokens have in the log.
    static let faultName = "magic token"
}
