/// Where the process begins.
@main
enum Entrance {
    static func main() {
        Output.prepare()
        TerminalLines.fitTerminal()
        do { try OpenFiles.requireEnough() } catch { CommandFailure.from(error).printAndExit() }
        OneThread.run { thread in
            await CommandFailure.ending {
                try ArgumentBytes.requireUTF8()
                // Of several, some may be in flight while the outcome of another is written, and whoever reads it may be slow.
                if var send = plainSend {
                    return try await send.isOnePush ? send.run(on: thread.loop) : send.run()
                }
                try await Pushsend.obey()
            }
            Output.exit(.accepted)
        }
    }

    /// `send`, where it can be understood without a parser: a single push should cost no more than it must.
    private static var plainSend: SendCommand? {
        let line = CommandLine.arguments.dropFirst()
        guard line.first == "send", var words = try? PlainArguments(line.dropFirst()) else { return nil }
        return try? SendCommand(plain: &words)
    }
}
