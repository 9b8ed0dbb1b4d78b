internal import PushPlatform

/// The answer of a proxy to CONNECT.
struct ProxyAnswer: Equatable {
    var status: Int
    var reason: String
    /// With status 407: the authentication schemes that the proxy offers.
    var schemes: [String] = []

    /// Whether the tunnel is open (RFC 9110 section 9.3.6).
    var opensTunnel: Bool { (200..<300).contains(status) }
}

/// Parses the head of a proxy's answer as it arrives (RFC 9112), and no byte more: the following bytes belong to the
/// tunnel. A pure value.
///
/// It is strict, so that only a real proxy is used, and it limits the length, because any server may answer.
struct ProxyAnswerReader: Equatable {
    /// The maximum size of the head, including interim answers before it. A longer one is an error.
    static let maximumBytes = 16 * 1024
    /// The maximum number of authentication schemes that are kept of an answer. Further ones are ignored.
    private static let maximumSchemes = 8

    enum Failure: Error, Equatable {
        case speaksTLS
        case notHTTP(beginning: String)
        /// The answer begins like HTTP, but this line is not valid.
        case malformed(line: String)
        /// The head is too long.
        case tooLong
    }

    enum ParseResult: Equatable {
        case needsMore
        /// The answer, and how many of the last bytes belong to it.
        case answer(ProxyAnswer, consumed: Int)
        case failed(Failure)
    }

    private static let beginning = Array("HTTP/1.".utf8)

    private var line: [UInt8] = []
    private var count = 0
    private var answer: ProxyAnswer?

    mutating func receive(_ bytes: some Collection<UInt8>) -> ParseResult {
        for (index, byte) in bytes.enumerated() {
            count += 1
            if count > Self.maximumBytes { return .failed(.tooLong) }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard answer == nil, !beginsLikeHTTP else { continue }
                return .failed(Self.problem(of: line + bytes.dropFirst(index + 1)))
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            do throws(Failure) {
                if let answer = try lineEnded() { return .answer(answer, consumed: index + 1) }
            } catch {
                return .failed(error)
            }
            line.removeAll(keepingCapacity: true)
        }
        return .needsMore
    }

    private var beginsLikeHTTP: Bool {
        line.prefix(Self.beginning.count).elementsEqual(Self.beginning.prefix(line.count))
    }

    /// The problem of bytes that do not begin like HTTP. It is reported at the first wrong byte, because the end of the
    /// line may never arrive.
    private static func problem(of bytes: [UInt8]) -> Failure {
        // A TLS record with an alert or a handshake message (RFC 8446 section 5.1).
        if bytes[0] == 21 || bytes[0] == 22 { return .speaksTLS }
        return .notHTTP(beginning: text(bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }))
    }

    /// - Returns: The answer, if this line has ended the final one.
    private mutating func lineEnded() throws(Failure) -> ProxyAnswer? {
        guard let current = answer else {
            answer = try statusLine()
            return nil
        }
        guard line.isEmpty else {
            try takeField()
            return nil
        }
        answer = nil
        guard (100..<200).contains(current.status) else { return current }
        // The request did not ask for another protocol.
        guard current.status != 101 else { throw .malformed(line: "101 \(current.reason)") }
        return nil
    }

    private func statusLine() throws(Failure) -> ProxyAnswer {
        guard line.starts(with: Self.beginning) else { throw .notHTTP(beginning: Self.text(line)) }
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].count == Self.beginning.count + 1, parts[0].last?.isASCIIDigit == true,
            parts[1].count == 3, parts[1].allSatisfy(\.isASCIIDigit),
            let status = Int(String(decoding: parts[1], as: UTF8.self)),
            (100...599).contains(status), parts.count < 3 || parts[2].allSatisfy(Self.isText)
        else { throw .malformed(line: Self.text(line)) }
        return ProxyAnswer(status: status, reason: parts.count == 3 ? Self.text(parts[2]) : "")
    }

    private mutating func takeField() throws(Failure) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(Self.isToken),
            line[colon...].allSatisfy(Self.isText)
        else { throw .malformed(line: Self.text(line)) }
        guard answer?.status == 407, (answer?.schemes.count ?? 0) < Self.maximumSchemes,
            String(decoding: line[..<colon], as: UTF8.self).lowercased() == "proxy-authenticate"
        else { return }
        let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let scheme = value.prefix { Self.isToken($0) }
        if !scheme.isEmpty { answer?.schemes.append(Self.text(scheme)) }
    }

    /// Whether the byte may be in a field value (RFC 9110 section 5.5).
    private static func isText(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

    /// Whether the byte may be in a field name (RFC 9110 section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        PeerText.printable(String(decoding: bytes.prefix(60), as: UTF8.self))
    }
}
