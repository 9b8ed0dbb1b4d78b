@testable import PushQueuePostgres

extension PostgresSettings {
    /// Settings whose limits no test reaches, even on a busy machine.
    static var patient: PostgresSettings {
        PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300))
    }
}
