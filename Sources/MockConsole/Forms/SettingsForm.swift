import APNSVocabulary
import MockAPNs
import PushHTTP
import PushJSON
import PushPlatform
import PushTime

/// The settings of a namespace as JSON: how strict the mock is where the behaviour of APNs is uncertain.
enum SettingsForm {
    private struct Setting: Sendable {
        let name: String
        let write: @Sendable (MockSettings, inout JSONWriter) -> Void
        let read: @Sendable (FormReader, String, inout MockSettings) throws -> Void
        let isEqual: @Sendable (MockSettings, MockSettings) -> Bool
        /// Takes the value of other settings.
        let copy: @Sendable (MockSettings, inout MockSettings) -> Void
        let isList: Bool
        /// What is known about APNs where the setting changes the mock, and how certain it is.
        private(set) var fact = (statement: "", confidence: MockFactConfidence.guess)

        init<Value: Equatable & SendableMetatype>(_ name: String, _ path: Path<Value>, _ kind: Kind<Value>) {
            (self.name, isList) = (name, kind.isList)
            write = { kind.write($0[keyPath: path], &$1) }
            read = { $2[keyPath: path] = try kind.read($0, $1) }
            isEqual = { $0[keyPath: path] == $1[keyPath: path] }
            copy = { $1[keyPath: path] = $0[keyPath: path] }
        }

        func known(_ statement: String, _ confidence: MockFactConfidence) -> Setting {
            var setting = self
            setting.fact = (statement, confidence)
            return setting
        }
    }

    private struct Kind<Value>: Sendable {
        var isList = false
        let write: @Sendable (Value, inout JSONWriter) -> Void
        let read: @Sendable (FormReader, String) throws -> Value
    }

    private typealias Path<Value> = any WritableKeyPath<MockSettings, Value> & Sendable

    static let names = table.map(\.name)
    static let lists = Set(table.filter(\.isList).map(\.name))
    static var facts: [(name: String, fact: (statement: String, confidence: MockFactConfidence))] {
        table.map { ($0.name, $0.fact) }
    }

    static func write(_ settings: MockSettings, to writer: inout JSONWriter) {
        for setting in table { writer.member(setting.name) { setting.write(settings, &$0) } }
    }

    static func writeFacts(_ settings: MockSettings, to writer: inout JSONWriter) {
        let defaults = MockSettings()
        writer.objects("items", table) { writer, setting in
            writer.member("name", setting.name)
            writer.member("value") { setting.write(settings, &$0) }
            writer.member("default") { setting.write(defaults, &$0) }
            writer.member("fact_id", SettingFacts.all[setting.name]?.id)
            writer.member("fact", SettingFacts.all[setting.name]?.statement)
            writer.member("confidence", SettingFacts.all[setting.name]?.confidence.rawValue)
        }
    }

    /// Changes the settings that an object has; the others stay.
    static func read(_ tree: LocatedJSON, at pointer: String = "", into settings: inout MockSettings) throws {
        let form = try FormReader(tree, at: pointer, known: names)
        for setting in table where form.has(setting.name) {
            try setting.read(form, setting.name, &settings)
        }
    }

    /// The settings after the end of a scenario: what the scenario has changed is as before, except where it was changed again.
    ///
    /// - Parameters:
    ///   - scenario: The settings as the scenario made them.
    ///   - before: The settings before the scenario.
    ///   - now: The settings at its end.
    /// - Returns: The settings.
    static func ended(_ scenario: MockSettings, before: MockSettings, now: MockSettings) -> MockSettings {
        var settings = now
        for setting in table where !setting.isEqual(scenario, before) && setting.isEqual(now, scenario) {
            setting.copy(before, &settings)
        }
        return settings
    }

    // MARK: The table

    private static let table: [Setting] = [
        Setting("unknown_tokens", \.unknownTokens, choice())
            .known("A device token that was never issued gets BadDeviceToken.", .observed),
        Setting("magic_tokens", \.acceptsMagicTokens, flag)
            .known("APNs has no device tokens with fixed answers.", .confirmed),
        Setting("seed", \.seed, number(in: 0...Int.max))
            .known("The random choices of faults are the mock's own.", .confirmed),
        Setting("refuses_early_streams", \.variants.refusesEarlyStreams, flag)
            .known(
                "It is unknown what APNs does with streams above the limit before the client has acknowledged it.",
                .guess),
        Setting("streams_before_authentication", \.variants.streamsBeforeAuthentication, number(in: 0...100_000))
            .known(
                "A connection without a certificate may have one stream until its first provider token is accepted.",
                .confirmed),
        Setting("streams_after_authentication", \.variants.streamsAfterAuthentication, number(in: 0...100_000))
            .known(
                "APNs announced 500 streams in 2016, 1500 in 2019 and 1000 since 2021. Apple names no number.",
                .confirmed),
        Setting("falls_to_one_stream", \.variants.fallsToOneStream, flag)
            .known(
                "A rejection can lower the limit to one stream, and the next acceptance restores it. It was not always observed.",
                .confirmed),
        Setting("errors_before_goaway", \.variants.errorsBeforeGoAway, orNull(number(in: 1...1_000_000)))
            .known(
                """
                APNs disconnects after too many errors, sooner for BadDeviceToken; 410 does not count. The number and the form of \
                the disconnect are guesses.
                """, .apple),
        Setting("idle_time", \.variants.idleTime, orNull(positiveDuration))
            .known("There is a reason IdleTimeout. Apple names no time.", .guess),
        Setting("silence_after", \.variants.silenceAfter, orNull(positiveDuration))
            .known(
                "Routers and firewalls drop idle connections without telling either side. APNs itself does not.",
                .confirmed),
        Setting("announced_window", \.variants.announcedWindow, number(in: 0...0x7FFF_FFFF))
            .known("APNs announces a window of 65,535 bytes for each stream.", .observed),
        Setting("announced_header_list_size", \.variants.announcedHeaderListSize, number(in: 0...0xFFFF_FFFF))
            .known("APNs announces a maximum header list of 8000 bytes.", .observed),
        Setting("announced_frame_size", \.variants.announcedFrameSize, number(in: 16_384...0xFF_FFFF))
            .known("APNs announces a maximum frame of 16,384 bytes.", .observed),
        Setting("environment_reason", \.variants.environmentReason, reason)
            .known(
                "A key for the other environment gets BadEnvironmentKeyInToken. Apple's page spells it BadEnvironmentKeyIdInToken.",
                .observed),
        Setting("second_team_reason", \.variants.secondTeamReason, reason)
            .known(
                "A provider token of a second team on a connection is an error. Apple does not name the reason.",
                .observed),
        Setting("future_tolerance", \.variants.futureTolerance, duration)
            .known("It is unknown how far iat may be in the future, and what a later one gets.", .guess),
        Setting("accepts_text_issue_time", \.variants.acceptsTextIssueTime, flag)
            .known("Two clients send iat as a string, and APNs accepts it.", .hint),
        Setting("accepts_der_signature", \.variants.acceptsDERSignature, flag)
            .known("Several clients send the signature in DER form, and APNs accepts it.", .observed),
        Setting("accepts_standard_base64", \.variants.acceptsStandardBase64, flag)
            .known("One library sends provider tokens in standard base64.", .hint),
        Setting("accepts_es512_name", \.variants.acceptsES512Name, flag)
            .known("One library sends ES512 as alg, with a SHA-512 signature of 132 bytes.", .hint),
        Setting("counts_token_updates_by_use", \.variants.countsTokenUpdatesByUse, flag)
            .known(
                "It is unknown whether the 20 minutes between two provider tokens start with iat or with the first use.",
                .hint),
        Setting("refuses_certificates_by_goaway", \.variants.refusesCertificatesByGoAway, flag)
            .known(
                "APNs was observed to refuse a certificate with a GOAWAY. Apple's page has a 403 for each request.",
                .observed),
        Setting("topic_outside_certificate_reason", \.variants.topicOutsideCertificateReason, reason)
            .known(
                "A topic that the certificate does not name gets TopicDisallowed. Another mock answers BadTopic.",
                .guess),
        Setting("mdm_without_mdm_certificate_reason", \.variants.mdmWithoutMDMCertificateReason, orNull(reason))
            .known(
                "An mdm push needs the MDM certificate. It is unknown what APNs answers to the certificate of an app.",
                .guess),
        Setting("accepts_upper_case_apns_id", \.variants.acceptsUpperCaseMessageID, flag)
            .known(
                "It is unknown whether an apns-id may have upper-case letters. Apple calls lower case canonical.",
                .guess),
        Setting("generates_lower_case_apns_id", \.variants.generatesLowerCaseID, flag)
            .known("APNs was seen to answer with upper-case letters in an apns-id that it generates.", .observed),
        Setting("uncovered_topic_reason", \.variants.uncoveredTopicReason, reason)
            .known("It is unknown what APNs answers for a topic that a topic-specific key does not cover.", .guess),
        Setting("push_types", \.variants.pushTypes, texts(read: pushTypes))
            .known(
                "Apple adds push types, and this mock knows those of November 2026. An unknown one gets InvalidPushType.",
                .confirmed),
        Setting("topic_against_push_type_reason", \.variants.topicAgainstPushTypeReason, orNull(reason))
            .known("Most push types need a topic with their suffix. What another topic gets is unknown.", .guess),
        Setting("urgent_background_reason", \.variants.urgentBackgroundReason, orNull(reason))
            .known("Apple calls priority 10 an error for a background push, and does not name the reason.", .guess),
        Setting("past_expiration_reason", \.variants.pastExpirationReason, orNull(reason))
            .known("It is unknown whether an expiration in the past is an error.", .guess),
        // null for none.
        Setting(
            "apps_without_broadcast", \.variants.appsWithoutBroadcast,
            texts { try $0.topics($1, atMost: 100) ?? [] }
        )
        .known("An app whose broadcast capability is off gets FeatureNotEnabled.", .apple),
        Setting("channel_limit", \.variants.channelLimit, number(in: 0...APNSLimit.channels))
            .known("An app has at most 10,000 channels in an environment.", .apple),
        Setting("not_json_reason", \.variants.notJSONReason, orNull(reason))
            .known("It is unknown what APNs answers to a body that is not a JSON object.", .guess),
        Setting("answers", \.variants.answers, answers)
            .known(
                "Each check is based on a fact, some of them guesses. pushsend verify asks a server, and finds those that differ.",
                .guess),
        Setting("export_status", \.variants.exportStatus, choice())
            .known("An export of delivery counts is PROCESSING, SUCCESS, FAILED or EXPIRED.", .apple),
        Setting("export_time", \.variants.exportTime, duration)
            .known("Apple does not say how long it makes an export.", .guess),
        Setting("device_rate_limit", \.variants.deviceRateLimit, orNull(rateLimit))
            .known(
                "Too many consecutive requests for one device token get TooManyRequests. The limit is unknown.", .guess),
    ]

    // MARK: The kinds

    private static func orNull<Value>(_ kind: Kind<Value>) -> Kind<Value?> {
        Kind { value, writer in
            if let value { kind.write(value, &writer) } else { writer.null() }
        } read: { form, name in
            form.value(name) == nil ? nil : try kind.read(form, name)
        }
    }

    private static let flag = Kind<Bool> {
        $1.bool($0)
    } read: { form, name in
        try form.required(name, try form.bool(name))
    }

    private static let reason = Kind<RejectionReason> {
        $1.string($0.rawValue)
    } read: { form, name in
        try reason(form, name, try form.required(name, try form.string(name)))
    }

    /// A reason, which may be one that Apple adds tomorrow.
    private static func reason(
        _ form: FormReader, _ name: String, _ text: String
    ) throws(APIProblem) -> RejectionReason {
        guard text.utf8.first.map({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) == true else {
            throw form.problem(
                name, "\(text.prefix(40).debugDescription) isn't a reason of APNs.",
                remedy: "Write one such as BadTopic, or null where such requests are to be accepted.")
        }
        return RejectionReason(rawValue: text)
    }

    /// Reasons by the id of a fact. Null accepts such requests, here and as the reason of a setting.
    private static let answers = Kind<[String: RejectionReason?]> { answers, writer in
        writer.object { writer in
            for (id, reason) in answers.sorted(by: { $0.key < $1.key }) { writer.member(id, reason?.rawValue) }
        }
    } read: { form, name in
        guard let tree = form.value(name) else { return [:] }
        let answers = try FormReader(tree, at: form.field(name), known: Check.all.map(\.fact.id))
        return try Dictionary(
            uniqueKeysWithValues: Check.all.map(\.fact.id).filter(answers.has).map {
                ($0, try orNull(reason).read(answers, $0))
            })
    }

    private static let duration = Kind<Duration> {
        $1.string($0.consoleText)
    } read: { form, name in
        try form.required(name, try form.duration(name, atMost: .seconds(1_000_000)))
    }

    private static let positiveDuration = Kind<Duration>(write: duration.write) { form, name in
        let duration = try duration.read(form, name)
        guard duration > .zero else {
            throw form.problem(name, "\(name.debugDescription) must be more than 0.", remedy: "null means no limit.")
        }
        return duration
    }

    private static func number<Number: FixedWidthInteger & SendableMetatype>(
        in range: ClosedRange<Int>
    ) -> Kind<Number> {
        Kind {
            $1.integer(Int(clamping: $0))
        } read: { form, name in
            Number(clamping: try form.required(name, try form.integer(name, in: range)))
        }
    }

    private static let rateLimit = Kind<MockDeviceRateLimit> { limit, writer in
        writer.object {
            $0.member("requests", limit.count)
            $0.member("seconds", Int(limit.window.components.seconds))
        }
    } read: { form, name in
        let tree = try form.required(name, form.value(name))
        let limit = try FormReader(tree, at: form.field(name), known: ["requests", "seconds"])
        return MockDeviceRateLimit(
            count: try limit.required("requests", try limit.integer("requests", in: 1...1_000_000)),
            per: .seconds(try limit.integer("seconds", in: 1...86_400) ?? 1))
    }

    private static func texts(
        read: @escaping @Sendable (FormReader, String) throws -> Set<String>
    ) -> Kind<Set<String>> {
        Kind(isList: true, write: { texts, writer in writer.array(texts.sorted()) { $0.string($1) } }, read: read)
    }

    /// The maximum number of further push types. Apple has added one or two a year.
    private static let maximumPushTypes = 100

    @Sendable private static func pushTypes(_ form: FormReader, _ name: String) throws(APIProblem) -> Set<String> {
        let types = try form.strings(name) ?? []
        guard types.count <= maximumPushTypes else {
            throw form.problem(name, "\(name.debugDescription) may have at most \(maximumPushTypes) push types.")
        }
        if let wrong = types.first(where: { !PushType(rawValue: $0).isWord }) {
            throw form.problem(
                name, "\(String(wrong.prefix(40)).debugDescription) can't be a push type.",
                remedy: "Use letters, digits, dots, hyphens and underscores, at most 64.")
        }
        return Set(types)
    }

    private static func choice<Choice: RawRepresentable & CaseIterable & SendableMetatype>() -> Kind<Choice>
    where Choice.RawValue == String {
        Kind {
            $1.string($0.rawValue)
        } read: { form, name in
            try form.required(name, try form.choice(name, Choice.self))
        }
    }
}

/// Reads the members of a JSON or YAML object of a request.
typealias FormReader = ObjectReader<APIProblem>

extension FormReader {
    /// Topics or bundle ids, which are kept; `nil` if the member is missing.
    func topics(_ name: String, atMost maximum: Int) throws(APIProblem) -> Set<String>? {
        guard let topics = try strings(name) else { return nil }
        guard topics.count <= maximum, topics.allSatisfy({ $0.utf8.count <= 255 }) else {
            throw problem(name, "\(name.debugDescription) may have at most \(maximum) texts of at most 255 bytes.")
        }
        return Set(topics)
    }

    func time(_ name: String) throws(APIProblem) -> Date? {
        guard let milliseconds = try milliseconds(name) else { return nil }
        let time = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        guard Date.writable.contains(time) else {
            throw problem(name, "The time is out of range.", remedy: "The year must be from 1 to 9999.")
        }
        return time
    }
}

extension Duration {
    /// A number with its unit, in seconds or, if that is not exact, in milliseconds.
    var consoleText: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds)s" }
        return "\(Int64((self / .milliseconds(1)).rounded()))ms"
    }
}
