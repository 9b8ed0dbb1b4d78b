import PushPlatform
import Testing

@testable import PushJSON

@Suite struct LocatedJSONTests {
    @Test func `every value knows where it begins`() throws {
        let tree = try LocatedJSON(json: Array("{\"ä\": [1,\n  {\"b\": null}],\n \"c\": \"d\"}".utf8))
        #expect(tree.position == .init(line: 1, column: 1))
        #expect(tree["ä"]?.position == .init(line: 1, column: 8))
        #expect(tree[path: ["ä", "0"]]?.position == .init(line: 1, column: 9))
        #expect(tree[path: ["ä", "1"]]?.position == .init(line: 2, column: 3))
        #expect(tree[path: ["ä", "1", "b"]]?.position == .init(line: 2, column: 9))
        #expect(tree["c"]?.position == .init(line: 3, column: 7))
    }

    @Test(arguments: [("{\"a\": 1,\n \"b}", 2, 2), ("[1,\n2,\n\"é\" x]", 3, 4), ("", 1, 1)])
    func `a mistake has its place`(text: String, line: Int, column: Int) {
        #expect { try LocatedJSON(json: Array(text.utf8)) } throws: {
            ($0 as? JSONTextError)?.position == .init(line: line, column: column)
        }
    }

    /// The processor time for 16 times the values, as a multiple. 16 if each byte is read once, 256 if each value reads its line again.
    @Test func `a long line takes no longer than many short ones`() throws {
        func time(_ count: Int) -> Duration {
            let text = Array("[\(Array(repeating: "0", count: count).joined(separator: ","))]".utf8)
            let times = (0..<5).map { _ in
                let start = processorTime()
                _ = try? LocatedJSON(json: text)
                return processorTime() - start
            }
            return times.min() ?? .zero
        }
        // That of this thread alone: other tests run at the same time.
        func processorTime() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        #expect(time(32_000) / time(2000) < 100)
    }
}
