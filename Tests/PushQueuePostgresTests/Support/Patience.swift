#if PushService
    @testable import PushQueuePostgres

    // On a busy machine, everything takes long. A test of a limit sets only that one.

    extension PostgresSettings {
        /// Settings whose limits no test reaches.
        static var patient: PostgresSettings {
            PostgresSettings(connectTime: .seconds(300), statementTime: .seconds(300))
        }
    }

    extension PostgresQueueOptions {
        /// Options whose limits no test reaches.
        static var patient: PostgresQueueOptions {
            var options = PostgresQueueOptions()
            (options.connectTime, options.statementTime) = (.seconds(300), .seconds(300))
            (options.confirmTime, options.lockTime) = (.seconds(300), .seconds(200))
            return options
        }
    }
#endif
