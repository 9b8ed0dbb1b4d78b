/// A step is an object with one member, or a word where there is nothing to say about it.
extension FaultStep: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case wait = "wait_ms"
        case judge
        case answer
        case noAnswer = "no_answer"
        case resetStream = "reset_stream"
        case goAway = "go_away"
        case settings
        case closeConnection = "close_connection"
    }

    private enum ResetKey: String, CodingKey, CaseIterable {
        case code
        case afterHeaders = "after_headers"
    }

    private enum WaitKey: String, CodingKey, CaseIterable {
        case from, through
    }

    /// Reads the form that `docs/faults.md` describes.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: ``FaultError`` for an unknown key or word, `DecodingError` for a wrong type.
    public init(from decoder: any Decoder) throws {
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            self = try Self.named(word)
            return
        }
        let members = try decoder.members(Key.self, of: "a step")
        guard members.allKeys.count == 1, let key = members.allKeys.first else {
            throw FaultError.malformed("A step has exactly one member; several things to do are several steps.")
        }
        switch key {
        case .judge, .noAnswer: throw FaultError.malformed("The step \"\(key.rawValue)\" is a word alone, no object.")
        case .wait: self = try Self.waiting(try members.superDecoder(forKey: key))
        case .answer: self = .answer(try members.decode(FaultAnswer.self, forKey: key))
        case .resetStream:
            let members = try members.superDecoder(forKey: key).members(ResetKey.self, of: "\"reset_stream\"")
            self = .resetStream(
                try members.decode(HTTP2Code.self, forKey: .code),
                afterHeaders: try members.decodeIfPresent(Bool.self, forKey: .afterHeaders) ?? false)
        case .goAway: self = .goAway(try members.decode(FaultGoAway.self, forKey: key))
        case .settings: self = .settings(try members.decode(FaultSettings.self, forKey: key))
        case .closeConnection: self = .closeConnection(try members.decode(FaultClosing.self, forKey: key))
        }
    }

    private static func named(_ word: String) throws(FaultError) -> FaultStep {
        switch word {
        case Key.judge.rawValue: return .judge
        case Key.noAnswer.rawValue: return .noAnswer
        default:
            throw FaultError.malformed("There is no step \"\(word.prefix(100))\" that is a word alone.")
        }
    }

    private static func waiting(_ decoder: any Decoder) throws -> FaultStep {
        if let milliseconds = try? decoder.singleValueContainer().decode(Double.self) {
            return .wait(try Duration(faultMilliseconds: milliseconds))
        }
        let members = try decoder.members(WaitKey.self, of: "\"wait_ms\"")
        return .wait(
            try Duration(faultMilliseconds: try members.decode(Double.self, forKey: .from)),
            upTo: try Duration(faultMilliseconds: try members.decode(Double.self, forKey: .through)))
    }

    /// Writes that form.
    ///
    /// - Parameter encoder: Where to write.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .judge, .noAnswer:
            var value = encoder.singleValueContainer()
            return try value.encode(word)
        default: break
        }
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .judge, .noAnswer: break
        case .wait(let time, nil): try members.encode(time.faultMilliseconds, forKey: .wait)
        case .wait(let shortest, let longest?):
            var range = members.nestedContainer(keyedBy: WaitKey.self, forKey: .wait)
            try range.encode(shortest.faultMilliseconds, forKey: .from)
            try range.encode(longest.faultMilliseconds, forKey: .through)
        case .answer(let answer): try members.encode(answer, forKey: .answer)
        case .resetStream(let code, let afterHeaders):
            var reset = members.nestedContainer(keyedBy: ResetKey.self, forKey: .resetStream)
            try reset.encode(code, forKey: .code)
            if afterHeaders { try reset.encode(true, forKey: .afterHeaders) }
        case .goAway(let goAway): try members.encode(goAway, forKey: .goAway)
        case .settings(let settings): try members.encode(settings, forKey: .settings)
        case .closeConnection(let how): try members.encode(how, forKey: .closeConnection)
        }
    }
}

extension Duration {
    init(faultMilliseconds milliseconds: Double) throws(FaultError) {
        guard (0...3_600_000).contains(milliseconds) else {
            throw FaultError(code: .outOfRange, description: "A fault's wait must be 0 to 3 600 000 ms.")
        }
        self = .microseconds(Int64((milliseconds * 1000).rounded()))
    }

    var faultMilliseconds: Double {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1000
    }
}
