package import PushQueuePostgres

extension PostgresQueueOptions {
    /// Options whose limits no test reaches, even on a busy machine. A test of a limit sets only that one.
    package static var patient: PostgresQueueOptions {
        var options = PostgresQueueOptions()
        (options.connectTime, options.statementTime) = (.seconds(300), .seconds(300))
        (options.confirmTime, options.lockTime) = (.seconds(300), .seconds(200))
        return options
    }
}
