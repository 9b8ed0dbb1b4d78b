internal import Hummingbird
internal import NIOCore
import PushHTTP
import PushJSON
import PushQueue

/// Sends outcomes to one reader as server-sent events, until the reader is gone or the service ends.
struct ResultStream {
    var writer: any ResponseBodyWriter
    var next: QueueResultCursor
    let request: APIRequest

    /// How often the queue is read without a change by this process: another process may have changed it.
    private static let pace = Duration.seconds(1)
    /// After this number of reads without a result, the stream sends a comment, to notice a reader that is gone.
    private static let checksPerComment = 15
    private static let outcomesAtOnce = 100

    mutating func run() async throws {
        var (isInGap, idle) = (false, 0)
        try await write("retry: 1000\n\n")
        while !Task.isCancelled {
            // Subscribed before the page is read, so that nothing is missed.
            let changes = request.parts.queue.changes(of: .results)
            // The stream ends when its key is revoked, or the app that it names is gone. Other apps may have come.
            guard (try? await request.checkKey()) != nil, let apps = try? await request.appsWithOutcomes() else {
                return
            }
            let page = try await request.parts.queue.results(of: apps, after: next, limit: Self.outcomesAtOnce)
            if page.hasGap, !isInGap {
                var gap = ByteBuffer()
                let detail: PushJSONValue = ["detail": "Outcomes after this cursor were deleted before they were read."]
                gap.writeEvent(
                    "gap", id: ResultRoutes.text(page.next < next ? .start : next, request), detail.encoded)
                try await writer.write(gap)
            }
            isInGap = page.hasGap
            if !page.items.isEmpty {
                // Many readers with much to read would keep other requests from the processor.
                let events = try await request.parts.turns.run(for: request.holder) { [request] in
                    var events = ByteBuffer()
                    for (job, cursor) in zip(page.items, page.cursors) {
                        events.writeEvent(
                            "result", id: ResultRoutes.text(cursor, request), JobAnswer.value(job).encoded)
                    }
                    return events
                }
                try await writer.write(events)
            }
            next = page.next
            guard page.items.isEmpty else {
                idle = 0
                continue
            }
            // The end of the service, or of the reader, ends the wait.
            guard (try? await request.waiting({ await Self.wait(for: changes) })) != nil else { return }
            idle += 1
            if idle.isMultiple(of: Self.checksPerComment) { try await write(": still here\n\n") }
        }
    }

    private static func wait(for changes: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { return } }
            group.addTask { try? await Task.sleep(for: pace) }
            await group.next()
            group.cancelAll()
        }
    }

    private mutating func write(_ text: String) async throws { try await writer.write(ByteBuffer(string: text)) }
}
