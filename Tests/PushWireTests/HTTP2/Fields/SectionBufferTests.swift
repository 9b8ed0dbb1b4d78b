import Testing

@testable import PushWire

@Suite struct SectionBufferTests {
    private static func take(_ fields: [(name: String, value: String)], into section: inout SectionBuffer)
        -> HeaderBlock
    {
        section.begin()
        for var field in fields {
            field.name.withUTF8 { name in field.value.withUTF8 { section.append(name: name, value: $0) } }
        }
        return section.block()
    }

    @Test func `fields come out in their order, as a block of them`() {
        let fields = [(name: ":path", value: "/"), (name: "a", value: ""), (name: "a", value: "2")]
        var section = SectionBuffer()
        let block = Self.take(fields, into: &section)
        #expect(block == HeaderBlock(fields))
        #expect(block.count == 3)
    }

    @Test func `the same fields again are the same block, others are another one`() {
        var section = SectionBuffer()
        let first = Self.take([(name: "a", value: "1")], into: &section)
        let again = Self.take([(name: "a", value: "1")], into: &section)
        let other = Self.take([(name: "a", value: "2")], into: &section)
        let longer = Self.take([(name: "a", value: "2"), (name: "b", value: "")], into: &section)
        #expect(again.isIdentical(to: first))
        #expect(!other.isIdentical(to: first))
        #expect(other == HeaderBlock([(name: "a", value: "2")]))
        #expect(longer == HeaderBlock([(name: "a", value: "2"), (name: "b", value: "")]))
        #expect(first == HeaderBlock([(name: "a", value: "1")]))
    }

    @Test func `what is larger than its room finds more, what no block can hold is left out`() {
        let long = String(repeating: "x", count: 3000)
        let fields = (0..<5).map { (name: "field-\($0)", value: long) }
        var section = SectionBuffer()
        #expect(Self.take(fields, into: &section) == HeaderBlock(fields))
        let endless = (name: "endless", value: String(repeating: "x", count: 65_536))
        #expect(Self.take([fields[0], endless, fields[1]], into: &section) == HeaderBlock(Array(fields[0...1])))
    }

    @Test func `nothing is a block of nothing`() {
        var section = SectionBuffer()
        #expect(Self.take([], into: &section) == HeaderBlock())
    }
}
