import Foundation
import TestSupport

/// What curl got from a server.
struct CurlAnswer: Sendable {
    /// 0 when there was no answer.
    var status: Int
    /// As they came, name in lower case.
    var headers: [String: String]
    var body: String

    var reason: String? { JSON(parsing: body)["reason"]?.string }
    var apnsID: String? { headers["apns-id"] }
}

extension RunningMock {
    static let payload = #"{"aps":{"alert":"Hello"}}"#

    /// A push as curl makes it: the usual headers and payload, unless `flags` say otherwise.
    func curl(
        _ url: String? = nil, _ flags: [String] = [], headers: [String] = usualHeaders, authorization: String? = nil,
        payload: String? = payload
    ) async throws -> CurlAnswer {
        var bearer = authorization
        if bearer == nil { bearer = "bearer \(try await providerToken())" }
        var arguments = ["-sS", "--http2", "--max-time", "250", "--noproxy", "*", "--cacert", caFile, "-D", "-"]
        arguments += ["-w", #"\n%{http_code}"#]
        if let bearer, !bearer.isEmpty { arguments += ["-H", "authorization: \(bearer)"] }
        arguments += headers.flatMap { ["-H", $0] }
        if payload != nil { arguments += ["--data-binary", "@-"] }
        let program = try workspace.start(
            URL(filePath: "/usr/bin/env"),
            ["curl"] + arguments + flags + [url ?? "https://localhost:\(port)/3/device/\(Self.token)"],
            input: payload ?? ""
        )
        return CurlAnswer(await program.end().output)
    }

    static let usualHeaders = ["apns-topic: \(topic)", "apns-push-type: alert"]
}

extension CurlAnswer {
    /// Reads the headers, an empty line, the body, and the status on a line of its own.
    fileprivate init(_ output: String) {
        let text = output.replacingOccurrences(of: "\r\n", with: "\n")
        let lines = text.components(separatedBy: "\n")
        status = Int(lines.last ?? "") ?? 0
        let head = lines.prefix { !$0.isEmpty }
        headers = Dictionary(
            head.dropFirst().compactMap { line in
                line.firstRange(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        body = lines.dropFirst(head.count + 1).dropLast().joined(separator: "\n")
    }
}
