import Foundation
import TestSupport
import Testing

/// `pushserve` with fewer files than the connections that it would accept.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct ServiceFilesTests {
    @Test func `idle connections do not take the files that the service needs`() async throws {
        try await RunningMock.with { mock in
            let service = try await RunningPushserve(before: mock, openFiles: 300)
            let address = service.url.replacing("http://", with: "").replacing(":", with: "/")
            // Dispatch opens a file each second, and ends the process if it cannot.
            let script = """
                ulimit -n 1024
                for file in $(seq 10 510); do eval "exec $file<>/dev/tcp/\(address)" || exit 3; done
                for number in 1 2 3 4; do
                    curl -sS --max-time 250 --noproxy '*' -o /dev/null -w '%{http_code} ' \(service.url)/livez
                    sleep 1
                done
                """
            let ended = try await mock.workspace.run(["bash", "-c", script])
            #expect(ended.output == "200 200 200 200 ", "\(ended.errors)")
            #expect(service.program.errors.text.contains("clients can be connected at the same time"))
            await service.end()
        }
    }

    @Test(arguments: [16, 64]) func `too few files are refused at the start`(_ files: Int) async throws {
        try await RunningMock.with { mock in
            let error = await #expect(throws: RunningMock.NotReady.self) {
                _ = try await RunningPushserve(before: mock, openFiles: files)
            }
            #expect(error?.description.contains("lets this process have \(files) files") == true, "\(error as Any)")
        }
    }
}
