import Testing

@testable import PushWire

@Suite struct CertificateTopicsTests {
    /// The extension of a universal certificate of an app, as Apple makes it.
    static let golden = bytes(
        """
        30640c0f636f6d2e6578616d706c652e61707030050c036170700c14636f6d2e6578616d706c652e6170702e766f6970\
        30060c04766f69700c1c636f6d2e6578616d706c652e6170702e636f6d706c69636174696f6e300e0c0c636f6d706c69636174696f6e
        """
    )

    @Test func `the topics of the golden extension are read in its order`() {
        #expect(Self.golden.count == 102)
        #expect(
            CertificateTopics.listed(in: Self.golden)
                == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
    }

    @Test func `an extension cut off anywhere gives no topic`() {
        for count in Self.golden.indices {
            #expect(CertificateTopics.listed(in: Array(Self.golden.prefix(count))).isEmpty, "\(count)")
        }
    }

    @Test func `an extension changed anywhere ends no process`() {
        for index in Self.golden.indices {
            for value in UInt8.min...UInt8.max {
                var changed = Self.golden
                changed[index] = value
                _ = CertificateTopics.listed(in: changed)
                _ = CertificateTopics.joined(in: changed)
            }
        }
    }

    @Test(arguments: [
        // A length in one, two, three and four bytes.
        ("308105" + "0c03612e62", ["a.b"]), ("30820005" + "0c03612e62", ["a.b"]),
        ("3083000005" + "0c03612e62", ["a.b"]), ("3084" + "00000007" + "0c8103612e62" + "05" + "00", ["a.b"]),
        // Several labels, none, and something else between.
        ("3010" + "0c0161" + "3006" + "0c017a0c0179" + "0c0162" + "0500", ["a", "b"]),
        ("30060c01610c0162", ["a", "b"]),
        // A tag number that goes on.
        ("3008" + "1f8101" + "0161" + "0c0162", ["b"]),
        ("3000", []), ("", []), ("0c0161", []), ("30020c00", []), ("0500", []),
        // Of indefinite length, too long, and of a length of 2^64 - 1.
        ("30800c01610000", []), ("30050c0161", []), ("3088ffffffffffffffff0c0161", []), ("3084ffffffff0c0161", []),
        ("30040c7f6162", []), ("1fffffff", []), ("30", []), ("3084", []),
    ])
    func `topics are the strings directly in the sequence`(hex: String, topics: [String]) {
        #expect(CertificateTopics.listed(in: Self.bytes(hex)) == topics)
    }

    @Test(arguments: [
        ("0c03612e62", ["a.b"]), ("1303612c62", ["a", "b"]), ("1607612c2062202c2c", ["a", "b"]), ("0c00", []),
        ("04" + "03612e62", []), ("", []), ("0c05612e62", []), ("0c03611b62", ["a\u{FFFD}b"]),
    ])
    func `topics of a VoIP certificate stand in one string`(hex: String, topics: [String]) {
        #expect(CertificateTopics.joined(in: Self.bytes(hex)) == topics)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }
}
