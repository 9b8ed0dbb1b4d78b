import APNSVocabulary
import Testing

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("abcd", "acbd", 2),
        ("abc", "xabc", 1),
    ])
    func `the distance of two words counts letters`(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(left, right) == distance)
        #expect(EditDistance.between(right, left) == distance)
    }

    @Test func `of words of very different lengths only the lengths are compared`() {
        #expect(EditDistance.between("b", String(repeating: "a", count: 65)) == 65)
        #expect(EditDistance.between("b", String(repeating: "a", count: 66)) == 65)
    }

    @Test(arguments: [("sond", "sound"), ("badge", "badge"), ("SOUND", nil), ("xyz", nil)] as [(String, String?)])
    func `the nearest word is found, up to a number of changes`(word: String, meant: String?) {
        #expect(EditDistance.nearest(to: word, among: ["alert", "badge", "sound"], atMost: 2) == meant)
    }

    @Test func `words can be compared in another form, and the first of several is used`() {
        let words = ["alert", "Sound", "sound"]
        #expect(EditDistance.nearest(to: "SOND", among: words, atMost: 1) { $0.lowercased() } == "Sound")
    }

    @Test(
        arguments: [
            ("ba", "badge"), ("b", nil), ("bdage", "badge"), ("so", "sound"), ("xo", nil), ("alerting", nil),
        ] as [(String, String?)])
    func `a beginning or a similar spelling suggests a word`(word: String, meant: String?) {
        #expect(NearestName.nearest(to: word, of: ["alert", "badge", "sound"]) == meant)
    }
}
