import Testing

@testable import PushWire

@Suite struct AES256GCMTests {
    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    /// Test case 16 of the paper that proposed GCM (McGrew and Viega).
    @Test func `the authors' own example comes out as they say`() throws {
        let key = SecretBuffer(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let plaintext = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        )
        let authenticated = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let nonce = bytes("cafebabefacedbaddecaf888")
        let box = try #require(AES256GCM.seal(plaintext, key: key, nonce: nonce, authenticating: authenticated))
        #expect(
            box
                == nonce
                + bytes(
                    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
                ))
        #expect(AES256GCM.open(box, key: key, authenticating: authenticated) == plaintext)
    }

    @Test func `nothing opens that was changed, cut off, or sealed with something else`() throws {
        let key = SecretBuffer(Array(0..<32))
        let box = try #require(AES256GCM.seal([1, 2, 3], key: key, authenticating: [9]))
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(AES256GCM.open(changed, key: key, authenticating: [9]) == nil)
        }
        for count in 0..<box.count {
            #expect(AES256GCM.open(Array(box.prefix(count)), key: key, authenticating: [9]) == nil)
        }
        #expect(AES256GCM.open(box, key: key, authenticating: [8]) == nil)
        #expect(AES256GCM.open(box, key: key, authenticating: []) == nil)
        #expect(AES256GCM.open(box, key: SecretBuffer(Array(1..<33)), authenticating: [9]) == nil)
        #expect(AES256GCM.open(box, key: key, authenticating: [9]) == [1, 2, 3])
    }

    @Test func `nothing at all can be sealed too, and a key or nonce of another length seals nothing`() throws {
        let key = SecretBuffer(Array(0..<32))
        let box = try #require(AES256GCM.seal([], key: key, authenticating: []))
        #expect(box.count == AES256GCM.nonceByteCount + AES256GCM.tagByteCount)
        #expect(AES256GCM.open(box, key: key, authenticating: []) == [])
        #expect(AES256GCM.seal([1], key: SecretBuffer(Array(0..<16)), authenticating: []) == nil)
        #expect(AES256GCM.seal([1], key: key, nonce: [1], authenticating: []) == nil)
        #expect(AES256GCM.open(box, key: SecretBuffer([]), authenticating: []) == nil)
    }

    @Test func `each seal has a new nonce`() throws {
        let key = SecretBuffer(Array(0..<32))
        let boxes = (0..<50).compactMap { _ in AES256GCM.seal([1], key: key, authenticating: []) }
        #expect(Set(boxes.map { $0.prefix(12) }).count == 50)
    }
}
