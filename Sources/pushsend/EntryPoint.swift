/// The entry point of the process.
@main
enum EntryPoint {
    static func main() {
        Output.prepare()
        TerminalLines.fitTerminal()
        do { try OpenFiles.requireEnough() } catch { CommandFailure.from(error).printAndExit() }
        SingleThreadExecutor.run { thread in
            await CommandFailure.ending {
                try ArgumentBytes.requireUTF8()
                try await Pushsend.obey(on: thread)
            }
            Output.exit(.accepted)
        }
    }
}
