import APNSVocabulary
package import MockAPNs

/// What a program provides to the console: the mock does not use the library, so it can neither check payloads nor send.
///
/// Without an ability, its paths answer 404 and the page leaves out its buttons.
package struct ConsoleAbilities: Sendable {
    package var lint: (@Sendable (ComposedPush) -> PushLinting)?
    /// Signed with the mock's own key. Throws ``SendFailure``.
    package var send: (@Sendable (ComposedPush, MockServer) async throws -> SentPush)?
    package var templates: (@Sendable () -> [PayloadTemplate])?
    /// The path of the mock's authority on this machine, for commands to copy.
    package var authorityFile: String?
    package var keyFile: String?
    /// How a command on this machine finds the mock: `--mock`, with `--state` unless its folder is the default one. `nil` if the mock has
    /// no state folder.
    package var mockFlags: String?

    package init() {}

    /// The names of the abilities, for `GET /v1/setup`.
    var names: [String] {
        var names: [String] = []
        if lint != nil { names.append("lint") }
        if send != nil { names += ["send", "replay"] }
        if templates != nil { names.append("templates") }
        return names
    }
}

/// A push that was composed on the page, or is sent again. Values that are not given are `nil`.
package struct ComposedPush: Sendable {
    /// The payload, byte for byte.
    package var payload: [UInt8]
    package var token: String?
    package var topic: String?
    package var pushType: String?
    package var priority: Int?
    /// The value of apns-expiration, as it is to be sent; `nil` to send none.
    package var expiration: String?
    package var collapseID: String?

    package init(payload: [UInt8]) {
        self.payload = payload
    }
}

package struct PushLinting: Sendable {
    /// In the order of their positions.
    package var findings: [Finding]
    /// The payload with all certain corrections; `nil` if there are none.
    package var repaired: String?

    package init(findings: [Finding], repaired: String? = nil) {
        (self.findings, self.repaired) = (findings, repaired)
    }

    package struct Finding: Sendable {
        /// The position in the payload, from 1; the column and the length are in bytes. `nil` for a header field.
        package var position: (line: Int, column: Int, length: Int)?
        package var severity: String
        package var rule: String
        /// The header field, or the path in the payload.
        package var subject: String
        package var problem: String
        package var remedy: String
        /// Whether ``PushLinting/repaired`` has it corrected.
        package var isFixable: Bool

        package init(
            position: (line: Int, column: Int, length: Int)?, severity: String, rule: String, subject: String,
            problem: String, remedy: String, isFixable: Bool
        ) {
            self.position = position
            self.severity = severity
            self.rule = rule
            self.subject = subject
            self.problem = problem
            self.remedy = remedy
            self.isFixable = isFixable
        }
    }
}

/// The answer to a push that was sent.
package struct SentPush: Sendable {
    package var status: Int
    package var reason: String?
    package var apnsID: String?

    package init(status: Int, reason: String? = nil, apnsID: String? = nil) {
        (self.status, self.reason, self.apnsID) = (status, reason, apnsID)
    }
}

/// Why a push was not sent or got no answer.
package struct SendFailure: Error {
    /// The member of the request that is wrong; `nil` if the request is right.
    package var member: String?
    package var detail: String

    package init(member: String? = nil, detail: String) {
        (self.member, self.detail) = (member, detail)
    }
}

package struct PayloadTemplate: Sendable {
    package var name: String
    package var about: String
    package var payload: String
    package var pushType: String
    package var topic: String
    package var collapseID: String?

    package init(
        name: String, about: String, payload: String, pushType: String, topic: String, collapseID: String? = nil
    ) {
        self.name = name
        self.about = about
        self.payload = payload
        self.pushType = pushType
        self.topic = topic
        self.collapseID = collapseID
    }
}
