import Foundation
import TestSupport
import Testing

/// Requests to the API that stay open: event streams and waits.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct OpenRequestTests {
    @Test func `a mock stops while somebody reads its events`() async throws {
        let workspace = try Workspace()
        try await RunningMock.with("--console-port", "0", in: workspace) { mock in
            let port = try #require(JSON(parsing: workspace.read("mock/running.json"))["consolePort"]?.integer)
            let reader = try workspace.start(
                URL(filePath: "/usr/bin/env"), ["curl", "-sSN", "http://127.0.0.1:\(port)/v1/events"])
            #expect(await reader.output.line(0)?.hasPrefix("retry: ") == true)
            let stop = try await workspace.pushsend("mock", "stop", "--state", "mock")
            #expect(stop.status == 0, "\(stop.errors)")
            #expect(await !reader.end().wasTooSlow)
        }
    }

    /// Begins a wait and half-closes its connection after a second, which looks to the mock like a client that goes away. Then it reads
    /// until the mock answers or hangs up.
    private static let leavingClient = """
        import os, socket, time, urllib.parse

        address = urllib.parse.urlsplit(os.environ["MOCK_URL"])
        body = b'{"query": "title:Hello", "within": "1h"}'
        head = ["POST /v1/pushes/wait HTTP/1.1", f"Host: {address.netloc}", "Content-Type: application/json",
                f"Content-Length: {len(body)}", "", ""]
        client = socket.create_connection((address.hostname, address.port), timeout=120)
        client.sendall("\\r\\n".join(head).encode() + body)
        time.sleep(1)
        client.shutdown(socket.SHUT_WR)
        client.recv(1)
        """

    @Test func `a wait ends with its client, and matches nothing afterwards`() async throws {
        let workspace = try Workspace()
        try workspace.write(Self.leavingClient, to: "client.py")
        let pushsend = BuiltProgram.pushsend.path()
        let script = """
            python3 client.py || exit 9
            '\(pushsend)' send 5f3ad1c07b9e4286 --mock --topic com.example.app -t Hello -m World
            """
        let ended = try await workspace.run([
            pushsend, "mock", "exec", "--fail-on", "unmatched", "--", "sh", "-c", script,
        ])
        #expect(ended.status == 1, "\(ended.errors)")
        #expect(ended.errors.contains("no wait or assert matched"))
    }
}
