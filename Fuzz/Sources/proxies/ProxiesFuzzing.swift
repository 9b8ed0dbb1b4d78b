internal import FuzzSupport

@testable internal import PushProvider

/// Proxies between a client and Apple: how the client reads their answers and the URLs of proxies.
enum ProxiesFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch input.number(below: 3) {
        case 0: readAnswer(&input)
        case 1: readURL(String(decoding: input.takeRest(), as: UTF8.self))
        default: readList(&input)
        }
    }

    // MARK: Answers

    /// An answer that arrives in several pieces is read in the same way, and ends at the same byte.
    private static func readAnswer(_ input: inout FuzzInput) {
        let step = 1 + input.number(below: 40)
        let bytes = input.takeRest()
        var whole = ProxyAnswerReader()
        let expected = whole.receive(bytes)
        var pieces = ProxyAnswerReader()
        for start in stride(from: 0, to: bytes.count, by: step) {
            let piece = bytes[start..<min(start + step, bytes.count)]
            switch pieces.receive(piece) {
            case .needsMore: continue
            case .answer(let answer, let consumed):
                claim(expected == .answer(answer, consumed: start + consumed), "pieces change the answer")
                tell(answer)
            case .failed(let problem):
                if case .failed = expected {} else { claim(false, "there is no answer when it arrives in pieces") }
                let description = ConnectionFailure.noAnswer(by: proxy, problem).description
                claimPrintable(description, "the error for a server that is not a proxy")
                claim(description.utf8.count < 500, "the error for a server that is not a proxy is too long")
            }
            return
        }
        claim(expected == .needsMore, "the answer has no end when it arrives in pieces")
    }

    private static func tell(_ answer: ProxyAnswer) {
        claim((100...599).contains(answer.status), "an impossible status: \(answer.status)")
        guard !answer.opensTunnel else { return }
        let failure = ConnectionFailure.refused(by: proxy, answer, to: .sandbox)
        claimPrintable(failure.description, "the error for a proxy that refuses")
        claim(failure.description.utf8.count < 2000, "the error for a proxy that refuses is too long")
    }

    private static let proxy = expected { try PushProxy(host: "proxy.example", port: 3128) }

    // MARK: Names

    private static func readURL(_ text: String) {
        do throws(PushConfigurationError) {
            let proxy = try PushProxy(url: text)
            claimPrintable(proxy.description, "a proxy")
            let request = String(decoding: proxy.request(to: .sandbox), as: UTF8.self)
            let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false)
            claim(lines.count == (proxy.hasCredentials ? 6 : 5), "a URL adds lines to the request")
        } catch {
            claimPrintable(error.description, "an error of a proxy")
        }
    }

    private static func readList(_ input: inout FuzzInput) {
        let list = NoProxyList(String(decoding: input.piece(), as: UTF8.self))
        let host = String(decoding: input.piece(), as: UTF8.self)
        let dotted = host + "."
        let isAddress = NetworkAddress(literal: host, port: 0) != nil
        claim(
            isAddress || host.hasSuffix(".")
                || list.contains(host: host, port: 443) == list.contains(host: dotted, port: 443),
            "a dot at the end of a name makes a difference")
        claim(NoProxyList("*").contains(host: host, port: 443), "the star does not match every host")
    }
}

extension ProxiesFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let answers = [
            "HTTP/1.1 200 Connection established\r\n\r\n",
            "HTTP/1.0 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 502 Bad Gateway\r\nVia: x\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
        ]
        let urls = [
            "http://user:pass%20word@proxy.example:3128/", "[::1]:8080", "socks5://proxy", "http://[fe80::1%25eth0]:1",
        ]
        let lists = ["*", "apple.com,.example.com localhost:443", "10.0.0.0/8,fd00::/8,[::1]:2197"]
        var seeds: [String: [UInt8]] = [:]
        for (index, answer) in answers.enumerated() { seeds["answer-\(index)"] = [0, 7] + Array(answer.utf8) }
        for (index, url) in urls.enumerated() { seeds["url-\(index)"] = [1] + Array(url.utf8) }
        for (index, list) in lists.enumerated() {
            seeds["list-\(index)"] = [2, UInt8(list.utf8.count)] + Array(list.utf8) + [9] + Array("apple.com".utf8)
        }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(ProxiesFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    ProxiesFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
