import APNSVocabulary

/// A step is an object with one member, or a string if it has no parameters.
extension MockFault.Step: Codable {
    /// The names of the steps in JSON.
    enum Key: String, CaseIterable {
        case wait = "wait_ms"
        case judge
        case answer
        case addFields = "add_fields"
        case noAnswer = "no_answer"
        case resetStream = "reset_stream"
        case goAway = "go_away"
        case settings
        case openWindow = "open_window"
        case withhold
        case frame
        case bytes
        case trickle
        case stopReading = "stop_reading"
        case fallSilent = "fall_silent"
        case tls
        case repeated = "repeat"
        case closeConnection = "close_connection"
    }

    private static let withoutParameters: [MockFault.Step] = [.judge, .noAnswer, .stopReading, .fallSilent]

    /// Decodes the JSON that `docs/mock-api.md#failure-injection` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key or a name is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let name = try? String(from: decoder) {
            guard let step = Self.withoutParameters.first(where: { $0.key.rawValue == name }) else {
                throw MockFaultError.malformed(
                    Key(rawValue: name) == nil
                        ? "Unknown step \(Finding.quote(name)). "
                            + NearestName.remedy(name, among: Key.allCases.map(\.rawValue))
                        : "The step \"\(name)\" has parameters: write it as an object, {\"\(name)\": …}.")
            }
            self = step
            return
        }
        let members = try decoder.members(Key.allCases.map(\.rawValue), of: "a step", or: "a string")
        guard members.allKeys.count == 1, let name = members.allKeys.first, let key = Key(rawValue: name.stringValue)
        else {
            throw MockFaultError.malformed(
                "A step must have exactly one member. Write several actions as several steps.")
        }
        func value<Value: Decodable>() throws -> Value { try members.decode(Value.self, forKey: name) }
        switch key {
        case .judge, .noAnswer, .stopReading, .fallSilent:
            throw MockFaultError.malformed(
                "The step \"\(key.rawValue)\" has no parameters. Write it as a string, not as an object.")
        case .wait: self = .wait(try value() as MockFault.Delay)
        case .answer: self = .answer(try value())
        case .addFields: self = .addFields(try value())
        case .resetStream: self = (try value() as ResetForm).step
        case .goAway: self = (try value() as GoAwayForm).step
        case .settings: self = .settings(try value())
        case .openWindow: self = (try value() as WindowForm).step
        case .withhold: self = .withhold(try value())
        case .frame: self = .frame(try value())
        case .bytes: self = .bytes(try value())
        case .trickle:
            let form = try value() as TrickleForm
            self = .trickle(bytes: form.bytes, every: try Duration(faultMilliseconds: form.milliseconds))
        case .tls: self = .tls(try value())
        case .repeated: self = (try value() as RepeatForm).step
        case .closeConnection: self = .closeConnection(try value())
        }
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        guard let parameters = form.parameters else { return try key.rawValue.encode(to: encoder) }
        var members = encoder.container(keyedBy: AnyKey.self)
        try members.encode(parameters, forKey: AnyKey(stringValue: key.rawValue))
    }

    var key: Key { form.key }

    private var form: (key: Key, parameters: (any Encodable)?) {
        switch self {
        case .wait(let delay): (.wait, delay)
        case .judge: (.judge, nil)
        case .answer(let answer): (.answer, answer)
        case .addFields(let fields): (.addFields, fields)
        case .noAnswer: (.noAnswer, nil)
        case .resetStream(let code, let afterHeaders): (.resetStream, ResetForm(code: code, afterHeaders: afterHeaders))
        case .goAway(let stream, let code, let text):
            (.goAway, GoAwayForm(lastStream: NamedStream(stream), code: code, text: text))
        case .settings(let settings): (.settings, settings)
        case .openWindow(let window, let increment):
            (.openWindow, WindowForm(window: NamedStream(window), increment: increment))
        case .withhold(let withheld): (.withhold, withheld.sorted { $0.rawValue < $1.rawValue })
        case .frame(let frame): (.frame, frame)
        case .bytes(let bytes): (.bytes, bytes)
        case .trickle(let bytes, let pause):
            (.trickle, TrickleForm(bytes: bytes, milliseconds: pause.faultMilliseconds))
        case .stopReading: (.stopReading, nil)
        case .fallSilent: (.fallSilent, nil)
        case .tls(let tls): (.tls, tls)
        case .repeated(let steps, let times): (.repeated, RepeatForm(times: times, steps: steps))
        case .closeConnection(let how): (.closeConnection, how)
        }
    }
}

extension MockFault.Withheld: Codable {}

// MARK: The parameters of steps that have several

private struct ResetForm: FaultObject {
    static let what = "\"reset_stream\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] {
        [.init("code", \.code), .init("after_headers", \.afterHeaders, default: false)]
    }

    var code = MockHTTP2Code.noError
    var afterHeaders = false
    var step: MockFault.Step { .resetStream(code, afterHeaders: afterHeaders) }
}

private struct GoAwayForm: FaultObject {
    static let what = "\"go_away\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] {
        [
            .init("last_stream", \.lastStream), .init("code", \.code, default: .noError),
            .init("text", \.text, default: ""),
        ]
    }

    /// It is always written, also the one that is meant without it.
    var lastStream: NamedStream<LastStreamNames>?
    var code = MockHTTP2Code.noError
    var text = ""
    var step: MockFault.Step { .goAway(lastStream?.stream ?? .newest, code: code, text: text) }
}

private struct WindowForm: FaultObject {
    static let what = "\"open_window\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] { [.init("of", \.window), .init("by", \.increment)] }

    var window = NamedStream<WindowNames>(.this)
    var increment = 0
    var step: MockFault.Step { .openWindow(window.stream, by: increment) }
}

private struct TrickleForm: FaultObject {
    static let what = "\"trickle\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] { [.init("bytes", \.bytes), .init("every_ms", \.milliseconds)] }

    var bytes = 0
    var milliseconds = 0.0
}

private struct RepeatForm: FaultObject {
    static let what = "\"repeat\""
    static var blank: Self { Self() }
    static var members: [FaultMember<Self>] { [.init("steps", \.steps), .init("times", \.times)] }

    var times = 0
    var steps: [MockFault.Step] = []
    var step: MockFault.Step { .repeated(steps, times: times) }
}
