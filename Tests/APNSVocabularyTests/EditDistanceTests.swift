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

    @Test(
        arguments: [
            ("ba", "badge"), ("b", nil), ("bdage", "badge"), ("so", "sound"), ("xo", nil), ("alerting", "alert"),
            ("Sou-nd", "sound"), ("sond", "sound"), ("lart", nil), ("xyz", nil),
        ] as [(String, String?)])
    func `a beginning or a similar spelling suggests a word`(word: String, meant: String?) {
        #expect(NearestName.nearest(to: word, of: ["alert", "badge", "sound"]) == meant)
    }

    @Test(arguments: [
        ("attachment", ["attachment-url"], "attachment-url"), ("attachment_url", ["attachment-url"], "attachment-url"),
        ("remindr-uuid", ["reminder-uuid"], "reminder-uuid"), ("key", ["other"], nil), ("id", ["identity"], "identity"),
        ("ur", ["attachment-url"], nil), ("attachment-address", ["attachment-url"], nil),
    ])
    func `letter case, hyphens and parts of a name do not hide what was meant`(
        name: String, names: [String], meant: String?
    ) {
        #expect(NearestName.nearest(to: name, of: names) == meant)
    }
}
