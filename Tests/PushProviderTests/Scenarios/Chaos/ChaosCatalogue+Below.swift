import APNSVocabulary
import MockAPNs
import PushWire
import TestSupport

/// Kinds of fault below the rules of HTTP/2.
extension ChaosCatalogue {
    private static let some = 0.005...0.03
    private static let few = 0.002...0.008
    private static let ok = [MockRequest.Field(":status", "200")]

    // MARK: Before the body

    static let atHeaders: [ChaosKind] = [
        ChaosKind("answered at the headers", .none, at: .requestHeaders, likely: some) { _ in
            [.answer(status: 410, reason: .unregistered)]
        },
        ChaosKind("reset at the headers", .unknown, at: .requestHeaders, likely: some) { _ in [.resetStream(.cancel)] },
        ChaosKind("refused at the headers", .refused, at: .requestHeaders, likely: some) { _ in
            [.wait(.zero, upTo: .milliseconds(20)), .resetStream(.refusedStream)]
        },
        ChaosKind("slow at the headers", .none, at: .requestHeaders, likely: some) { _ in
            [.wait(.mean(.milliseconds(10)))]
        },
    ]

    // MARK: Answers

    static let spoiltAnswers: [ChaosKind] = [
        ChaosKind("interim answers", .none, likely: some) { chance in
            let count = Int.random(in: 1...20, using: &chance)
            return [.answer(MockFault.Answer(status: 200) { $0.interim = Array(repeating: 103, count: count) })]
        },
        ChaosKind("trailers", .none, likely: some) { _ in
            [.answer(MockFault.Answer(status: 200) { $0.trailers = ["x-checksum": "1"] })]
        },
        ChaosKind("in pieces", .none, likely: some) { chance in
            let bytes = Int.random(in: 1...20, using: &chance)
            return [
                .answer(
                    MockFault.Answer(status: 400) {
                        $0.reason = .badTopic
                        $0.pieceBytes = bytes
                    })
            ]
        },
        ChaosKind("no status", .malformed, likely: few) { _ in
            [.answer(MockFault.Answer(status: 200) { $0.fields = [.init("apns-id", "x")] })]
        },
        ChaosKind("two statuses", .malformed, likely: few) { _ in
            [.answer(MockFault.Answer(status: 200) { $0.fields = [.init(":status", "200"), .init(":status", "400")] })]
        },
        ChaosKind("upper-case name", .malformed, likely: few) { _ in
            [.answer(MockFault.Answer(status: 200) { $0.fields = [.init(":status", "200"), .init("Apns-Id", "x")] })]
        },
        ChaosKind("header bomb", .malformed, likely: few) { _ in
            [.answer(MockFault.Answer(status: 200) { $0.padding = .init(count: 300, bytes: 100) })]
        },
        ChaosKind("slow as real ones are", .none, likely: 0.05...0.2) { _ in
            [.wait(.quantiles(median: .milliseconds(5), p99: .milliseconds(60)))]
        },
    ]

    // MARK: Frames

    /// Each ends the connection by the client's own hand.
    static let frames: [ChaosKind] = [
        ("DATA before HEADERS", [.frame(MockFault.Frame(.data, flags: .endStream, on: .this, payload: "{}"))]),
        (
            "answer on an idle stream",
            [.frame(MockFault.Frame(.headers, flags: [.endHeaders, .endStream], on: .id(1_000_001), fields: ok))]
        ),
        (
            "PUSH_PROMISE",
            [.frame(MockFault.Frame(.pushPromise, flags: .endHeaders, on: .this, payload: .bytes([0, 0, 0, 2])))]
        ),
        (
            "HPACK bad index",
            [.frame(MockFault.Frame(.headers, flags: [.endHeaders], on: .this, payload: .bytes([0xFF, 0xFF, 0x7F])))]
        ),
        ("frame too long", [.frame(MockFault.Frame(.ping, payload: .filled(9)))]),
        ("illegal setting", [.frame(MockFault.Frame(.settings, payload: .bytes([0, 5, 0, 0, 0, 1])))]),
        ("window overflow", [.frame(MockFault.Frame(.windowUpdate, payload: .bytes([0x7F, 0xFF, 0xFF, 0xFF])))]),
        ("garbage", [.bytes(.bytes(Array(repeating: 0xA5, count: 300)))]),
        (
            "CONTINUATION flood",
            [
                .frame(MockFault.Frame(.headers, on: .this, fields: ok)),
                .repeated(
                    [.frame(MockFault.Frame(.continuation, on: .this, fields: [.init("x-more", "more")]))], times: 5000),
            ]
        ),
    ].map { name, steps in
        ChaosKind(name, .connection, likely: few) { chance in
            // The client sees it alone, or behind a judgement that nobody will hear of.
            (chance.oneIn(2) ? [.judge] : []) + [.noAnswer] + steps
        }
    }

    // MARK: Pace

    static let pace: [ChaosKind] = [
        ChaosKind("trickle", .none, likely: few, times: 3) { chance in
            [.trickle(bytes: Int.random(in: 50...500, using: &chance), every: .milliseconds(1))]
        },
        ChaosKind("PINGs unanswered", .none, likely: few) { _ in [.withhold([.pingAnswers, .settingsAnswers])] },
        ChaosKind("window by the byte", .none, likely: few) { _ in
            [.repeated([.openWindow(.connection, by: 1)], times: 100)]
        },
        ChaosKind("frames that nobody knows", .none, likely: some) { _ in
            [
                .frame(MockFault.Frame(.init(rawValue: 0xEE), payload: "whatever")),
                .frame(MockFault.Frame(.altService, payload: .bytes([0, 1, 0x61, 0x62]))),
            ]
        },
        ChaosKind("a few PINGs", .none, likely: few) { _ in
            [.repeated([.frame(MockFault.Frame(.ping, payload: .filled(8))), .wait(.milliseconds(1))], times: 20)]
        },
    ]

    /// One connection with another server in its place.
    static let impostor = ChaosKind(
        "impostor", .terminal, at: .connectionAccepted, likely: 0.3...0.6, times: 2
    ) { chance in
        let kinds: [MockFault.TLS] = [
            MockFault.TLS(certificate: .expired), MockFault.TLS(certificate: .otherHost),
            MockFault.TLS(certificate: .selfSigned),
            MockFault.TLS(certificate: .unknownAuthority), MockFault.TLS(agreed: .nothing),
            MockFault.TLS(agreed: .http1),
        ]
        return [.tls(kinds.randomElement(using: &chance) ?? MockFault.TLS(agreed: .nothing))]
    }
}
