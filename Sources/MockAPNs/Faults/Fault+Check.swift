extension Fault {
    /// Refuses what no mock can do.
    func check() throws(FaultError) {
        try require(name.count <= 200, "name", "at most 200 characters long")
        try require(times ?? 1 >= 1, "times", "at least 1, or absent for always")
        try require((1...100).contains(steps.count), "steps", "1 to 100 in number")
        try checkMatcher()
        for step in steps {
            try step.check()
            if !step.isPossible(at: moment) {
                throw FaultError(
                    code: .impossibleHere,
                    description: "The step \"\(step.word)\" is not possible at \"\(moment.rawValue)\".")
            }
        }
        if let end = steps.firstIndex(where: { $0.word == "close_connection" }), end < steps.count - 1 {
            throw FaultError(
                code: .impossibleHere, description: "Nothing can follow \"close_connection\": make it the last step.")
        }
    }

    private func checkMatcher() throws(FaultError) {
        if moment != .request, when.concernsRequests {
            throw FaultError(
                code: .impossibleHere,
                description: """
                    At "\(moment.rawValue)" there is no request yet: "when" can only have connection, match and probability.
                    """)
        }
        try require((0...1).contains(when.probability ?? 1), "probability", "from 0 to 1")
        for ordinal in [when.request, when.requestOnConnection, when.connection, when.match] {
            guard let ordinal else { continue }
            try require(
                ordinal.from >= 1 && ordinal.step >= 1 && ordinal.through ?? .max >= ordinal.from, "which ones",
                "numbers from 1, the last not before the first")
        }
    }
}

private func require(_ isFine: Bool, _ what: String, _ rule: String) throws(FaultError) {
    if !isFine { throw FaultError(code: .outOfRange, description: "A fault's \(what) must be \(rule).") }
}

extension FaultStep {
    /// Its key in JSON.
    var word: String {
        switch self {
        case .wait: "wait_ms"
        case .judge: "judge"
        case .answer: "answer"
        case .noAnswer: "no_answer"
        case .resetStream: "reset_stream"
        case .goAway: "go_away"
        case .settings: "settings"
        case .closeConnection: "close_connection"
        }
    }

    fileprivate func isPossible(at moment: FaultMoment) -> Bool {
        switch self {
        case .wait, .noAnswer: true
        case .judge, .answer, .resetStream: moment == .request
        case .settings: moment != .connectionAccepted
        case .closeConnection(let how): moment != .connectionAccepted || how != .tlsClosed
        case .goAway(let goAway):
            switch goAway.lastStream {
            case .this, .below: moment == .request
            default: moment != .connectionAccepted
            }
        }
    }

    fileprivate func check() throws(FaultError) {
        switch self {
        case .judge, .noAnswer, .resetStream, .closeConnection: break
        case .wait(let shortest, let longest):
            try require(
                shortest >= .zero && longest ?? shortest >= shortest && longest ?? shortest <= .seconds(3600), "wait",
                "0 to 3 600 000 ms, the longest not before the shortest")
        case .answer(let answer): try answer.check()
        case .goAway(let goAway):
            try require(goAway.text.utf8.count <= 4096, "text of GOAWAY", "at most 4096 bytes long")
            if case .stream(let id) = goAway.lastStream {
                try require(id == 0 || (id > 0 && id % 2 == 1), "last stream", "an odd number or 0")
            }
        case .settings(let settings):
            try require(settings.initialWindowSize ?? 0 <= 0x7FFF_FFFF, "initial window size", "at most 2147483647")
            try require(
                (16_384...16_777_215).contains(settings.maxFrameSize ?? 16_384), "max frame size", "16384 to 16777215")
        }
    }
}

extension FaultAnswer {
    fileprivate func check() throws(FaultError) {
        try require((200...599).contains(status), "status", "200 to 599")
        try require(body?.utf8.count ?? 0 <= 1 << 20, "body", "at most 1 MiB long")
        try require(headers.count <= 50, "headers", "at most 50 in number")
        for (name, value) in headers {
            try require(Self.isName(name), "header names", "lower-case letters, digits, '-' and '_', up to 100")
            try require(
                value.utf8.count <= 8000 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "header values",
                "at most 8000 bytes long and without control characters")
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
