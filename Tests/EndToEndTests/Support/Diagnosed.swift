import Foundation
import TestSupport
import Testing

/// What `pushsend doctor --json` said.
struct Diagnosed: Sendable {
    let status: Int32
    let json: JSON
    let errors: String

    init(_ ended: Ended) {
        (status, json, errors) = (ended.status, ended.json, ended.errors)
    }

    var hops: [JSON] { json["hops"]?.elements ?? [] }

    /// The first hop of this name.
    func hop(_ name: String) -> JSON? { hops.first { $0["hop"]?.string == name } }

    /// Expects that this hop is the one to correct first, with words in its fact and its remedy.
    func expect(
        _ name: String, _ result: String, exit: Int32, fact: String..., remedy: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(status == exit, "\(json)", sourceLocation: sourceLocation)
        #expect(json["exit_code"]?.integer == Int(exit), sourceLocation: sourceLocation)
        if exit != 0 { #expect(json["first"]?.string == name, "\(json)", sourceLocation: sourceLocation) }
        let found = hop(name)
        #expect(found?["verdict"]?.string == result, "\(json)", sourceLocation: sourceLocation)
        for word in fact {
            #expect(found?["fact"]?.string?.contains(word) == true, "\(json)", sourceLocation: sourceLocation)
        }
        for word in remedy {
            #expect(found?["remedy"]?.string?.contains(word) == true, "\(json)", sourceLocation: sourceLocation)
        }
    }

    /// Expects these results.
    func expect(_ result: String, of names: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        for name in names {
            #expect(hop(name)?["verdict"]?.string == result, "\(name): \(json)", sourceLocation: sourceLocation)
        }
    }
}

extension Workspace {
    /// Runs `pushsend doctor --json`.
    func doctor(_ flags: [String], environment: [String: String] = [:]) async throws -> Diagnosed {
        Diagnosed(try await pushsend(["doctor", "--json"] + flags, environment: environment))
    }
}

extension RunningMock {
    /// Runs `pushsend doctor --json` with the mock's own key.
    func doctor(_ flags: String...) async throws -> Diagnosed {
        try await workspace.doctor(["--mock", "--state", "mock", "--topic", Self.topic] + flags)
    }

    /// Runs doctor with a time limit that passes, because the mock is silent at one point. The limit must suffice for what comes before.
    /// If it does not, the machine gets a longer one.
    func doctor(reaching isReached: (Diagnosed) -> Bool) async throws -> Diagnosed {
        for limit in ["3s", "20s"] {
            let found = try await doctor("--timeout", limit)
            if isReached(found) { return found }
        }
        return try await doctor("--timeout", "60s")
    }
}
