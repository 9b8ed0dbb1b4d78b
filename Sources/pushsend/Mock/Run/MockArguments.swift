import APNSVocabulary
import ArgumentParser
import MockAPNs
import MockConsole
import PushCommandLine
internal import PushJSON
import PushPlatform

/// `NAME=VALUE` for one limit of a mock, or `none` to remove all limits that a load test could reach.
struct MockLimitArgument {
    let apply: @Sendable (inout MockLimits) -> Void

    init(_ argument: String) throws(ValidationError) {
        if argument == "none" {
            apply = { $0 = .lifted }
            return
        }
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("use NAME=VALUE, for example connections=100, or none")
        }
        guard let limit = MockLimit(rawValue: parts[0]) else {
            let names = MockLimit.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("there is no limit \"\(parts[0])\". The limits are \(names)")
        }
        switch (limit.storage, parts[1]) {
        case (_, "none"): apply = { limit.lift(in: &$0) }
        case (.count(let path), let value):
            guard let count = Int(value), count > 0 else {
                throw ValidationError("\(limit.rawValue) takes a whole number above 0, or none")
            }
            apply = { $0[keyPath: path] = count }
        case (.time(let path), let value):
            guard let time = DurationArgument(argument: value)?.duration, time > .zero else {
                throw ValidationError("\(limit.rawValue) takes a time with its unit, such as 10s or 500ms, or none")
            }
            apply = { $0[keyPath: path] = time }
        }
    }

    /// All limits with their defaults, one per line.
    static var table: String {
        let width = MockLimit.allCases.map(\.rawValue.count).max() ?? 0
        return MockLimit.allCases.map { limit in
            let name = limit.rawValue.padded(to: width)
            return "  \(name)  \(limit.text(in: MockLimits()).padded(to: 8))  \(limit.purpose)"
        }.joined(separator: "\n")
    }
}

extension MockLimit {
    /// What the limit is for, for the help text.
    fileprivate var purpose: String {
        switch self {
        case .connections: "open connections"
        case .handshakeTime: "from TCP to the SETTINGS of HTTP/2"
        case .requestTime: "for one request to arrive"
        case .unreadTime: "without reading answers"
        case .headerBytes: "header bytes of a request"
        case .continuations: "CONTINUATION frames after one HEADERS"
        case .requestBytes: "body bytes of a request"
        case .unfinishedBytes: "bytes of all incomplete requests"
        case .resetsAtOnce: "streams reset in a burst"
        case .resetsPerSecond: "streams reset after the burst"
        case .idleFramesAtOnce: "PING, SETTINGS and similar in a burst"
        case .idleFramesPerSecond: "the same after the burst"
        case .waitingAnswers: "answers to PING and SETTINGS not yet sent"
        case .answerBytes: "unsent bytes of answers of a connection"
        }
    }
}

/// `NAME=VALUE` for one setting of a mock: how it behaves where APNs is uncertain.
struct MockSettingArgument {
    let name: String
    private let value: String

    init(_ argument: String) throws(ValidationError) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw ValidationError("use NAME=VALUE, for example idle_time=30s")
        }
        (name, value) = (parts[0], parts[1])
        var trial = MockSettings()
        try apply(to: &trial)
    }

    func apply(to settings: inout MockSettings) throws(ValidationError) {
        do throws(SettingText.Mistake) {
            try SettingText.apply(name, value, to: &settings)
        } catch {
            // argument-parser adds the full stop, also behind a question: the question gets another form.
            let text = error.description.replacing(#/\.? Did you mean (.*)\?$/#) { "; did you mean \($0.output.1)" }
            throw ValidationError(text.hasSuffix(".") ? String(text.dropLast()) : text)
        }
    }
}

/// The file of `--facts`, as `pushsend verify --save` writes it.
struct FactsFile {
    let path: String

    /// Changes the settings as the file says.
    ///
    /// - Throws: ``CommandFailure`` if the file can't be read, or isn't such a file.
    func apply(to settings: inout MockSettings) throws {
        let bytes = try SettingsFile.read(path, "There is no file \"\(path)\" for --facts, or it can't be read.")
        guard case .object(let members)? = PushJSONValue(json: bytes), members["format"] == .integer(1),
            case .object(let changes)? = members["settings"]
        else {
            throw CommandFailure(
                .invalidInput, "\"\(path)\" isn't a file of facts. \"pushsend verify --save FILE\" writes one.")
        }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            try rethrowing(try SettingText.apply(name, String(decoding: value.encoded, as: UTF8.self), to: &settings)) {
                (error: SettingText.Mistake) in
                CommandFailure(.invalidInput, "\(path): \(error.description)")
            }
        }
    }
}

/// Faults on a command line: JSON, or a file with one or more in JSON or YAML.
enum FaultArgument {
    /// Reads them.
    ///
    /// - Parameters:
    ///   - text: JSON, or the path of a file.
    ///   - name: What the argument is called in messages.
    /// - Returns: The faults, of which there is at least one.
    /// - Throws: ``CommandFailure``, with the place of the mistake.
    static func read(_ text: String, of name: String = "--fault") throws -> [MockFault] {
        let first = text.first { !$0.isWhitespace }
        let isFile = first != "{" && first != "["
        let place = isFile ? "\(text.printable):" : "\(name): "
        let bytes = isFile ? try contents(of: text, name) : Array(text.utf8)
        let isYAML = isFile && (text.hasSuffix(".yaml") || text.hasSuffix(".yml"))
        let faults: [MockFault]
        do {
            faults =
                isYAML
                ? try FaultText.faults(yaml: bytes) : try MockFault.list(json: String(decoding: bytes, as: UTF8.self))
        } catch let error as MockFaultError {
            throw failure(place, error.location, error.description)
        } catch let mistake as FaultText.Mistake {
            throw failure(place, mistake.position, mistake.description)
        }
        guard !faults.isEmpty else { throw failure(place, nil, "There is no fault in it.") }
        return faults
    }

    /// For example, `faults.json:2:5: The fault has no "steps".`
    private static func failure(_ place: String, _ position: TextPosition?, _ problem: String) -> CommandFailure {
        let number = position.map { "\($0.line):\($0.column): " } ?? (place.hasSuffix(":") ? " " : "")
        return CommandFailure(.invalidInput, "\(place)\(number)\(problem)")
    }

    private static func contents(of path: String, _ name: String) throws -> [UInt8] {
        try SettingsFile.read(
            path,
            "There is no file \"\(path.printable)\" for \(name), or it can't be read. A fault in JSON begins with {.")
    }
}
