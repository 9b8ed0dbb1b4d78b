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

    @Test func `an unknown key is refused with the one that was meant, or with all`() {
        let known = ["topic", "team_id"]
        let meant = NearestName.unknownKey("teamID", among: known, "in \"app\"")
        #expect(meant == (#"Unknown key "teamID" in "app"."#, #"Did you mean "team_id"?"#))
        let other = NearestName.unknownKey("bundle", among: known, others: ["bundle": "topic"])
        #expect(other == (#"Unknown key "bundle"."#, #"Did you mean "topic"?"#))
        #expect(NearestName.unknownKey("xyz", among: known).remedy == "Known: topic, team_id.")
        let long = NearestName.unknownKey(String(repeating: "a\u{1B}", count: 10_000), among: known)
        #expect(long.problem.utf8.count < 1000 && !long.problem.contains("\u{1B}"))
    }
}
