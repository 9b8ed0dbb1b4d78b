import ArgumentParser
import PushQueue

struct UnsealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal",
        abstract: "Unseal a queue that was exported but not imported, so that it can be used again.",
        discussion: """
            Example:
              pushserve queue unseal --database /var/lib/pushserve/pushserve.sqlite

            The files that were exported before can't be imported afterwards. Once an import has begun, the queue stays sealed, because \
            its pushes would be sent twice.
            """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        do {
            try await TransferSource.with(try database.filePath(for: "unseal")) { source in
                let wasSealed = try await source.unseal()
                if wasSealed { try await source.note(.command("queue.unseal", app: "")) }
                Output.print(wasSealed ? "The queue can be used again." : "The queue isn't sealed.")
            }
        } catch {
            throw CommandFailure.from(error)
        }
    }
}
