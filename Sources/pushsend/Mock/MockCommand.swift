import ArgumentParser

/// Everything about mocks. Without a subcommand, it runs one.
///
/// It has no options: the options of a parent would also take those of its subcommands.
struct MockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Run a mock of APNs on this machine, and test senders against it.",
        discussion: """
            Example:
              pushsend mock
              pushsend mock exec -- npm test
              pushsend mock wait title:Hello --within 5s

            "pushsend mock" alone runs a mock until Ctrl-C; "pushsend mock run --help" lists its options, which can also \
            follow "mock" directly. "mock exec" runs a command with a new mock. The other commands talk to the mock \
            that is running.
            """,
        subcommands: [
            MockRunCommand.self, MockExecCommand.self, MockReadyCommand.self, MockEnvCommand.self, MockListCommand.self,
            MockWaitCommand.self, MockAssertCommand.self, MockFaultCommand.self, MockResetCommand.self,
            MockStopCommand.self,
        ],
        defaultSubcommand: MockRunCommand.self
    )
}
