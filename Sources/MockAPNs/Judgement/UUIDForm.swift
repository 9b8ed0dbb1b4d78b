/// The canonical form of a UUID: hex digits in groups of 8, 4, 4, 4 and 12.
enum UUIDForm {
    /// Returns the letter case of a UUID: upper if it has an upper-case letter, otherwise lower; `nil` if the text is
    /// not a UUID.
    static func letters(of text: String) -> MockAnswerIDLetters? {
        guard text.utf8.count == 36 else { return nil }
        var letters = MockAnswerIDLetters.lower
        var index = 0
        for character in text.utf8 {
            let isHyphenIndex = index == 8 || index == 13 || index == 18 || index == 23
            index += 1
            switch character {
            case UInt8(ascii: "-"): guard isHyphenIndex else { return nil }
            case _ where isHyphenIndex: return nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "F"): letters = .upper
            default: return nil
            }
        }
        return letters
    }
}
