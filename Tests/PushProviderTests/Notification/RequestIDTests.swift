import Foundation
import TestSupport
import Testing

@testable import PushProvider

struct RequestIDTests {
    @Test func `an id is spelled as its UUID is, in lower case`() throws {
        var random = SeededGenerator(seed: 16)
        let bits: [UInt128] = [0, .max, 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210]
        for bits in bits + (0..<1000).map({ _ in UInt128.random(in: .min ... .max, using: &random) }) {
            let uuid = UUID(uuid: withUnsafeBytes(of: bits.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
            #expect(RequestID(uuid).description == uuid.uuidString.lowercased())
        }
    }
}
