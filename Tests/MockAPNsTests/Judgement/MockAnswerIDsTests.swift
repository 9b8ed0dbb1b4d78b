import Testing

@testable import MockAPNs

@Suite struct MockAnswerIDsTests {
    @Test func `an id is spelled in groups, in either letters`() {
        let bits: UInt128 = 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210
        #expect(MockAnswerIDs.spell(bits, .lower) == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(MockAnswerIDs.spell(bits, .upper) == "01234567-89AB-CDEF-FEDC-BA9876543210")
        #expect(MockAnswerIDs.spell(0, .lower) == "00000000-0000-0000-0000-000000000000")
        #expect(MockAnswerIDs.spell(.max, .upper) == "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")
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
