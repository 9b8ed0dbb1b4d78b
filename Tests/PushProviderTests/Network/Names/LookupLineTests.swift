import Testing

@testable import PushProvider

@Suite struct LookupLineTests {
    @Test func `few are asked at once, and the next when one is answered`() {
        var line = LookupLine()
        for id in 1...4 { #expect(line.submitted(id, name: "name\(id)") == [id]) }
        #expect(line.submitted(5, name: "name5").isEmpty)
        #expect(line.submitted(6, name: "name6").isEmpty)
        #expect(line.answered(2) == [5])
        #expect(line.answered(1) == [6])
        #expect(line.waitingCount == 0)
    }

    @Test func `a silent name leaves room for others`() {
        var line = LookupLine()
        #expect(line.submitted(1, name: "silent") == [1])
        #expect(line.submitted(2, name: "silent") == [2])
        #expect(line.submitted(3, name: "silent").isEmpty)
        #expect(line.submitted(4, name: "other") == [4], "it does not wait behind the third")
        #expect(line.answered(1) == [3])
    }

    @Test func `an abandoned lookup is not started`() {
        var line = LookupLine()
        for id in 1...3 { _ = line.submitted(id, name: "silent") }
        line.givenUp(3)
        #expect(line.waitingCount == 0)
        #expect(line.answered(1).isEmpty)
    }

    @Test func `giving up what is being asked frees no thread`() {
        var line = LookupLine()
        for id in 1...3 { _ = line.submitted(id, name: "silent") }
        line.givenUp(1)
        #expect(line.waitingCount == 1)
        #expect(line.answered(1) == [3])
    }
}
