import Foundation
import PushPlatform
import TestSupport
import Testing

@Suite struct SmallFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [0, 1, 16_384, 16_385, 100_000]) func `a file is read to its end, and not beyond its bound`(
        count: Int
    ) throws {
        let path = try folder.write([UInt8](repeating: 7, count: count), to: "file")
        #expect(try SmallFile(path, atMost: count).bytes.count == count)
        #expect(try SmallFile(beginningOf: path, 10).bytes.count == min(count, 10))
        guard count > 0 else { return }
        #expect(throws: SmallFile.Failure.tooLarge(count - 1)) { try SmallFile(path, atMost: count - 1) }
    }

    @Test func `what is no file says so`() {
        #expect(throws: SmallFile.Failure.missing) { try SmallFile(folder.path("none"), atMost: 1) }
        #expect(throws: SmallFile.Failure.folder) { try SmallFile(folder.url.path(), atMost: 1) }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x61], "a"), ([0xFF, 0xFE, 0x61, 0, 0xE4, 0], "a\u{E4}"), ([0xFE, 0xFF, 0, 0x61], "a"),
            ([0x61, 0, 0x62, 0], "ab"), ([0, 0x61, 0, 0x62], "ab"), ([0x61, 0x62], "ab"), ([], ""),
            // An emoji has two units.
            ([0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE], "\u{1F600}"),
        ] as [([UInt8], String)]) func `a text is UTF-8 without a mark`(bytes: [UInt8], text: String)
    {
        #expect(String(decoding: FileText.utf8(bytes), as: UTF8.self) == text)
    }

    @Test func `bytes that are no UTF-16 stay as they are`() {
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0, 0xD8], [0x30, 0x82, 0x01, 0x00], [0, 0, 0, 0]] {
            #expect(FileText.utf8(bytes) == bytes)
        }
    }

    @Test(arguments: ["secret", "secret\n", "secret\r\n", "secret\r", "\u{FEFF}secret\r\nmore", "secret\nmore\n"])
    func `the first line is the value`(text: String) {
        #expect(String(decoding: FileText.firstLine(Array(text.utf8)), as: UTF8.self) == "secret")
        #expect(FileText.word(Array(text.utf8)) == "secret")
        #expect(FileText.word(Array(" \t\(text)".utf8)) == (text.hasPrefix("\u{FEFF}") ? nil : "secret"))
    }

    @Test(arguments: ["", " ", "two words", "\nsecret", "s\u{E9}cret", "sec\0ret"])
    func `a text that is not one word is none`(text: String) {
        #expect(FileText.word(Array(text.utf8)) == nil)
        #expect(FileText.word(Array("secret \n\(text)".utf8)) == "secret")
    }
}
