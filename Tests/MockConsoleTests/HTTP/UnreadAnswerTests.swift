import Logging
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import TestSupport
import Testing

@testable import MockConsole

/// Clients of the console that read nothing.
@Suite struct UnreadAnswerTests {
    @Test(arguments: [true, false])
    func `a client that reads nothing gets no more than one answer into the memory`(isPage: Bool) async throws {
        let file = try #require(WebPage.inbox.files.max { $0.value.bytes.count < $1.value.bytes.count })
        let path = isPage ? file.key : "/v1/openapi.json"
        let length = isPage ? file.value.bytes.count : WebPage.inbox.document.bytes.count
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let console = try await MockConsole.start(for: mock, logger: .silent)
        let socket = try LoopbackSocket.connect(to: console.port)
        let requests = String(repeating: "GET \(path) HTTP/1.1\r\nhost: localhost\r\n\r\n", count: 1000)
        LoopbackSocket.write(Array(requests.utf8), to: socket)
        let memory = console.api.memory
        while memory.used == 0 { await Task.yield() }
        // Others are answered many times: there is time for more answers.
        for _ in 0..<50 {
            let other = try LoopbackSocket.connect(to: console.port)
            LoopbackSocket.write(Array("GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8), to: other)
            let answer = try await Blocking.run { LoopbackSocket.read(other) }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            close(other)
        }
        #expect(memory.used <= length + (64 << 10) + 1024)
        close(socket)
        await console.stop()
        await mock.stop()
        while memory.used > 0 { await Task.yield() }
    }

    @Test func `a body that the client breaks off is its mistake`() async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let console = try await MockConsole.start(for: mock, logger: .silent)
        let socket = try LoopbackSocket.connect(to: console.port)
        let head = "POST /v1/faults HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        LoopbackSocket.write(Array("\(head)transfer-encoding: chunked\r\n\r\nx\r\n{}\r\n".utf8), to: socket)
        let answer = try await Blocking.run { String(decoding: LoopbackSocket.read(socket), as: UTF8.self) }
        #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("broken_body"), "\(answer)")
        close(socket)
        await console.stop()
        await mock.stop()
    }

    @Test(arguments: [("FOO /v1/pushes HTTP/1.1", "unknown_method"), ("GET /v1/pushes HTTP/9.x", "not_http")])
    func `what is no request is answered with what is wrong`(line: String, code: String) async throws {
        let mock = try await MockServer.start(MockConfiguration(), credentials: .ofThisProcess)
        let console = try await MockConsole.start(for: mock, logger: .silent)
        let socket = try LoopbackSocket.connect(to: console.port)
        LoopbackSocket.write(Array("\(line)\r\nhost: localhost\r\n\r\n".utf8), to: socket)
        let answer = try await Blocking.run {
            var bytes: [UInt8] = []
            // The connection ends after the answer.
            while true {
                let more = LoopbackSocket.read(socket)
                if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
                bytes += more
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("\"code\":\"\(code)\""), "\(answer)")
        #expect(answer.lowercased().contains("content-type: application/problem+json"), "\(answer)")
        close(socket)
        await console.stop()
        await mock.stop()
    }
}
