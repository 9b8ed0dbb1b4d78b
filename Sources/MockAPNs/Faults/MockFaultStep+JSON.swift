import APNSVocabulary

/// A step is an object with one member, or a string if it has no parameters.
extension MockFault.Step: Codable {
    /// The names of the steps in JSON.
    enum Key: String, CodingKey, CaseIterable {
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

    private enum ResetKey: String, CodingKey, CaseIterable {
        case code
        case afterHeaders = "after_headers"
    }

    private enum WindowKey: String, CodingKey, CaseIterable {
        case window = "of"
        case increment = "by"
    }

    private enum TrickleKey: String, CodingKey, CaseIterable {
        case bytes
        case every = "every_ms"
    }

    private enum RepeatKey: String, CodingKey, CaseIterable {
        case times, steps
    }

    /// The steps without parameters.
    private static let withoutParameters: [MockFault.Step] = [.judge, .noAnswer, .stopReading, .fallSilent]

    /// Decodes the JSON that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: ``MockFaultError`` if a key or a name is unknown, `DecodingError` if a type is wrong.
    public init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
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
        let members = try decoder.members(Key.self, of: "a step", or: "a string")
        guard members.allKeys.count == 1, let key = members.allKeys.first else {
            throw MockFaultError.malformed(
                "A step must have exactly one member. Write several actions as several steps.")
        }
        switch key {
        case .judge, .noAnswer, .stopReading, .fallSilent:
            throw MockFaultError.malformed(
                "The step \"\(key.rawValue)\" has no parameters. Write it as a string, not as an object.")
        case .wait: self = .wait(try members.decode(MockFault.Delay.self, forKey: key))
        case .answer: self = .answer(try members.decode(MockFault.Answer.self, forKey: key))
        case .addFields: self = .addFields(try members.decode([String: String].self, forKey: key))
        case .resetStream: self = try Self.reset(try members.superDecoder(forKey: key))
        case .goAway: self = try members.decode(GoAwayForm.self, forKey: key).step
        case .settings: self = .settings(try members.decode(MockFault.Settings.self, forKey: key))
        case .openWindow: self = try Self.window(try members.superDecoder(forKey: key))
        case .withhold: self = .withhold(try members.decode(Set<MockFault.Withheld>.self, forKey: key))
        case .frame: self = .frame(try members.decode(MockFault.Frame.self, forKey: key))
        case .bytes: self = .bytes(try members.decode(MockFault.Bytes.self, forKey: key))
        case .trickle: self = try Self.trickle(try members.superDecoder(forKey: key))
        case .tls: self = .tls(try members.decode(MockFault.TLS.self, forKey: key))
        case .repeated: self = try Self.repeated(try members.superDecoder(forKey: key))
        case .closeConnection: self = .closeConnection(try members.decode(MockFault.Closing.self, forKey: key))
        }
    }

    private static func reset(_ decoder: any Decoder) throws -> MockFault.Step {
        let members = try decoder.members(ResetKey.self, of: "\"reset_stream\"")
        return .resetStream(
            try members.decode(MockHTTP2Code.self, forKey: .code),
            afterHeaders: try members.decodeIfPresent(Bool.self, forKey: .afterHeaders) ?? false)
    }

    private static func window(_ decoder: any Decoder) throws -> MockFault.Step {
        let members = try decoder.members(WindowKey.self, of: "\"open_window\"")
        return .openWindow(
            try members.decode(NamedStream<WindowNames>.self, forKey: .window).stream,
            by: try members.decode(Int.self, forKey: .increment))
    }

    private static func trickle(_ decoder: any Decoder) throws -> MockFault.Step {
        let members = try decoder.members(TrickleKey.self, of: "\"trickle\"")
        return .trickle(
            bytes: try members.decode(Int.self, forKey: .bytes),
            every: try Duration(faultMilliseconds: try members.decode(Double.self, forKey: .every)))
    }

    private static func repeated(_ decoder: any Decoder) throws -> MockFault.Step {
        let members = try decoder.members(RepeatKey.self, of: "\"repeat\"")
        return .repeated(
            try members.decode([MockFault.Step].self, forKey: .steps),
            times: try members.decode(Int.self, forKey: .times))
    }

    /// Encodes the same JSON.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        if Self.withoutParameters.contains(self) {
            var value = encoder.singleValueContainer()
            return try value.encode(key.rawValue)
        }
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .judge, .noAnswer, .stopReading, .fallSilent: break
        case .wait(let delay): try members.encode(delay, forKey: key)
        case .answer(let answer): try members.encode(answer, forKey: key)
        case .addFields(let fields): try members.encode(fields, forKey: key)
        case .resetStream(let code, let afterHeaders):
            var reset = members.nestedContainer(keyedBy: ResetKey.self, forKey: key)
            try reset.encode(code, forKey: .code)
            if afterHeaders { try reset.encode(true, forKey: .afterHeaders) }
        case .goAway(let lastStream, let code, let text):
            try members.encode(GoAwayForm(lastStream: lastStream, code: code, text: text), forKey: key)
        case .settings(let settings): try members.encode(settings, forKey: key)
        case .openWindow(let window, let increment):
            var opened = members.nestedContainer(keyedBy: WindowKey.self, forKey: key)
            try opened.encode(NamedStream<WindowNames>(window), forKey: .window)
            try opened.encode(increment, forKey: .increment)
        case .withhold(let withheld): try members.encode(withheld.sorted { $0.rawValue < $1.rawValue }, forKey: key)
        case .frame(let frame): try members.encode(frame, forKey: key)
        case .bytes(let bytes): try members.encode(bytes, forKey: key)
        case .trickle(let bytes, let pause):
            var trickle = members.nestedContainer(keyedBy: TrickleKey.self, forKey: key)
            try trickle.encode(bytes, forKey: .bytes)
            try trickle.encode(pause.faultMilliseconds, forKey: .every)
        case .tls(let tls): try members.encode(tls, forKey: key)
        case .repeated(let steps, let times):
            var repeated = members.nestedContainer(keyedBy: RepeatKey.self, forKey: key)
            try repeated.encode(times, forKey: .times)
            try repeated.encode(steps, forKey: .steps)
        case .closeConnection(let how): try members.encode(how, forKey: key)
        }
    }

    /// The name of the step in JSON.
    var key: Key {
        switch self {
        case .wait: .wait
        case .judge: .judge
        case .answer: .answer
        case .addFields: .addFields
        case .noAnswer: .noAnswer
        case .resetStream: .resetStream
        case .goAway: .goAway
        case .settings: .settings
        case .openWindow: .openWindow
        case .withhold: .withhold
        case .frame: .frame
        case .bytes: .bytes
        case .trickle: .trickle
        case .stopReading: .stopReading
        case .fallSilent: .fallSilent
        case .tls: .tls
        case .repeated: .repeated
        case .closeConnection: .closeConnection
        }
    }
}

extension MockFault.Withheld: Codable {}

/// The values of `go_away`.
private struct GoAwayForm: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case lastStream = "last_stream"
        case code, text
    }

    let lastStream: MockFault.Stream
    let code: MockHTTP2Code
    let text: String

    var step: MockFault.Step { .goAway(lastStream, code: code, text: text) }

    init(lastStream: MockFault.Stream, code: MockHTTP2Code, text: String) {
        (self.lastStream, self.code, self.text) = (lastStream, code, text)
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.members(Key.self, of: "\"go_away\"")
        lastStream =
            try members.decodeIfPresent(NamedStream<LastStreamNames>.self, forKey: .lastStream)?.stream ?? .newest
        code = try members.decodeIfPresent(MockHTTP2Code.self, forKey: .code) ?? .noError
        text = try members.decodeIfPresent(String.self, forKey: .text) ?? ""
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(NamedStream<LastStreamNames>(lastStream), forKey: .lastStream)
        if code != .noError { try members.encode(code, forKey: .code) }
        if !text.isEmpty { try members.encode(text, forKey: .text) }
    }
}
