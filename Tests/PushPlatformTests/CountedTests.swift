import PushPlatform
import Testing

@Suite struct CountedTests {
    @Test func `only one thing has the form for one`() {
        #expect([-1, 0, 1, 2].map { counted($0, "line") } == ["-1 lines", "0 lines", "1 line", "2 lines"])
        #expect(counted(UInt64.max, "line") == "18446744073709551615 lines")
    }

    @Test func `a noun can have its own form for several, and the number its own form`() {
        #expect(counted(1, "job waits", "jobs wait") == "1 job waits")
        #expect(counted(3, "authority", "authorities") == "3 authorities")
        #expect(counted(9_998_213, "line", shown: "9,998,213") == "9,998,213 lines")
    }
}
