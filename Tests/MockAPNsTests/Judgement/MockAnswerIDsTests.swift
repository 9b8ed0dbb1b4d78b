import Testing

@testable import MockAPNs

@Suite struct MockAnswerIDsTests {
    @Test func `an id is spelled in groups, in either letters`() {
        let bits: UInt128 = 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210
        #expect(MockAnswerID.generated(bits, .lower).text == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(MockAnswerID.generated(bits, .upper).text == "01234567-89AB-CDEF-FEDC-BA9876543210")
        #expect(MockAnswerID.generated(0, .lower).text == "00000000-0000-0000-0000-000000000000")
        #expect(MockAnswerID.generated(.max, .upper).text == "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")
    }

    @Test func `a generated id equals its text, and its bytes are those of the text`() {
        let generated = MockAnswerID.generated(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210, .lower)
        let written: MockAnswerID = "01234567-89ab-cdef-fedc-ba9876543210"
        #expect(generated == written)
        #expect(generated.hashValue == written.hashValue)
        for id in [generated, written] {
            var bytes: [UInt8] = []
            id.withBytes { bytes = Array($0) }
            #expect(bytes == Array(written.text.utf8))
        }
        #expect(MockAnswerID.text("").isEmpty && !written.isEmpty && !generated.isEmpty)
    }

    @Test func `no two ids of a connection or of two connections are the same`() {
        var sources = [AnswerIDSource(), AnswerIDSource()]
        var ids: Set<UInt128> = []
        for _ in 0..<1000 {
            for index in sources.indices {
                let drawn = sources[index].next()
                ids.insert(drawn.messageID)
                ids.insert(drawn.uniqueID)
            }
        }
        #expect(ids.count == 4000)
    }
}
