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
                // Several pushes need other threads: the reader of an outcome may be slow while other pushes are in flight.
                if var send = plainSend {
                    return try await send.isOnePush ? send.run(on: thread.loop) : send.run()
                }
                try await Pushsend.obey()
            }
            Output.exit(.accepted)
        }
    }

    /// The `send` command, if it can be read without argument-parser. This makes a single push faster.
    private static var plainSend: SendCommand? {
        let line = CommandLine.arguments.dropFirst()
        guard line.first == "send", var words = try? PlainArguments(line.dropFirst()) else { return nil }
        return try? SendCommand.checked(&words)
    }
}
