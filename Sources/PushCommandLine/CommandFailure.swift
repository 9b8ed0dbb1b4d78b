/// The exit codes of both programs. They are those of sysexits.h where one fits, and scripts can rely on them.
package struct ExitStatus: Hashable, Comparable, Sendable {
    package let code: Int32
    /// A command with several outcomes uses the worst one. A higher weight is worse.
    private let weight: Int

    package static let success = ExitStatus(code: 0, weight: 0)
    /// What was asked for was not done, or not all of it.
    package static let rejected = ExitStatus(code: 1, weight: 1)
    package static let usage = ExitStatus(code: 64, weight: 7)
    package static let invalidInput = ExitStatus(code: 65, weight: 7)
    package static let noSuchFile = ExitStatus(code: 66, weight: 7)
    package static let cannotConnect = ExitStatus(code: 69, weight: 2)
    package static let ourFault = ExitStatus(code: 70, weight: 7)
    package static let cannotCreate = ExitStatus(code: 73, weight: 7)
    package static let cannotWrite = ExitStatus(code: 74, weight: 7)
    /// Nothing was done or sent that could be doubled.
    package static let tryAgain = ExitStatus(code: 75, weight: 3)
    /// Nobody knows whether a push was sent.
    package static let unknown = ExitStatus(code: 76, weight: 4)
    package static let credentials = ExitStatus(code: 77, weight: 5)
    package static let badConfiguration = ExitStatus(code: 78, weight: 7)
    package static let interrupted = ExitStatus(code: 130, weight: 6)

    /// The exit code of another command.
    package init(code: Int32) {
        self.init(code: code, weight: 7)
    }

    private init(code: Int32, weight: Int) {
        self.code = code
        self.weight = weight
    }

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool {
        left.weight < right.weight
    }
}

/// An error that ends a command early: sentences for standard error, one for each mistake, and an exit code.
package struct CommandFailure: Error, Equatable {
    package var status: ExitStatus
    package var messages: [String]

    package init(_ status: ExitStatus, _ message: String) {
        (self.status, messages) = (status, [message])
    }

    package init(status: ExitStatus, messages: [String]) {
        (self.status, self.messages) = (status, messages)
    }

    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message)
    }

    package var message: String {
        get { messages.joined(separator: " ") }
        set { messages = [newValue] }
    }
}
