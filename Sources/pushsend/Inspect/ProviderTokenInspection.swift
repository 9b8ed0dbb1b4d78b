import MockAPNs
import PushCommandLine
internal import PushJSON
import PushPlatform
import PushProvider
import PushTime

/// Inspects a provider token: its content, and whether Apple would accept it now.
struct ProviderTokenInspection {
    var name: String
    /// The expected signing key, and its file.
    var key: (key: PushProviderKey, file: String)?
    /// The current time in seconds since 1970.
    var now: Int

    /// Inspects the token, without the word `bearer`.
    func inspect(_ token: String) -> Inspection {
        let key = key?.key
        let reader = ProviderTokenReader { _, message, signature in
            guard let key else { return .notChecked }
            return key.hasSigned(message, signature: signature) ? .verified : .wrong
        }
        switch reader.read("bearer \(token)") {
        case .absent, .otherScheme: return unreadable("There is no token.")
        case .malformed(let reason): return unreadable(reason)
        case .read(let content): return inspection(of: content)
        }
    }

    private func unreadable(_ reason: String) -> Inspection {
        .unreadable(
            .providerToken, name: name, "\(reason) Create a provider token with \"pushsend jwt\".", .credentials)
    }

    private func inspection(of content: ProviderTokenContent) -> Inspection {
        var inspection = Inspection(.providerToken, name: name, title: "a provider token (JWT)")
        inspection.add("key id", content.keyID)
        inspection["key_id"] = .string(content.keyID)
        inspection.add("team id", content.teamID)
        inspection["team_id"] = .string(content.teamID)
        inspection.add("algorithm", content.algorithm)
        inspection["algorithm"] = .string(content.algorithm)
        if content.isStandardBase64 {
            inspection.notes.append(
                "It is in standard base64. RFC 7515 requires base64url: - and _ instead of + and /.")
        }
        addTimes(content, to: &inspection)
        addSignature(content, to: &inspection)
        if content.algorithm != "ES256" {
            inspection.addProblem("Apple accepts only ES256 and answers InvalidProviderToken.", .credentials)
        }
        objectToIDs(content, in: &inspection)
        if inspection.problem == nil {
            let condition = content.signature == .verified ? "" : ", if the signature is valid"
            inspection.add("Apple", "accepts it now\(condition)")
        }
        return inspection
    }

    // MARK: Time

    private func addTimes(_ content: ProviderTokenContent, to inspection: inout Inspection) {
        if content.issueTimeIsText {
            inspection.notes.append("Its iat is a string. Apple documents a number.")
        }
        // Milliseconds are the usual mistake. They give a year of about 50000 or later.
        guard let issuedAt = Int(exactly: content.issuedAt.timeIntervalSince1970.rounded()),
            (0..<100_000_000_000).contains(issuedAt)
        else {
            inspection.addProblem(
                "Its iat isn't a time in seconds since 1970 (milliseconds?). Apple answers InvalidProviderToken.",
                .credentials)
            return
        }
        let ending = issuedAt + APNSLimit.providerTokenAgeSeconds
        let age = now - issuedAt
        inspection["issued_at"] = .integer(issuedAt)
        inspection["expires_at"] = .integer(ending)
        inspection.add(
            "issued",
            "\(InspectedTime.text(issuedAt)), \(Duration.seconds(age).approximateText) \(age < 0 ? "from now" : "ago")")
        inspection.add(
            "valid until",
            "\(InspectedTime.text(ending)), \(Duration.seconds(ending - now).approximateText) \(ending < now ? "ago" : "left")"
        )
        if ending < now {
            inspection.addProblem(
                """
                It is older than an hour, so Apple answers ExpiredProviderToken. Create a new one with "pushsend jwt", \
                and check the clock of the machine that created it.
                """,
                .credentials)
        } else if age < -APNSLimit.providerTokenAgeSeconds {
            inspection.addProblem(
                "It was issued more than an hour in the future: the clock of the machine that created it is fast, or this one is slow.",
                .credentials)
        } else if age < -60 {
            inspection.notes.append("It was issued in the future. Check the clocks.")
        }
    }

    // MARK: Signature and ids

    private func addSignature(_ content: ProviderTokenContent, to inspection: inout Inspection) {
        let form = content.signatureForm == .der ? ", as DER; RFC 7518 requires r and s without DER" : ""
        guard let file = key?.file else {
            inspection.add("signature", "not checked\(form); give the key with --key FILE")
            inspection["signature"] = "not_checked"
            return
        }
        guard content.signature == .verified else {
            inspection.add("signature", "not from the key in \"\(file)\"")
            inspection["signature"] = "wrong"
            inspection.addProblem(
                "It was signed with a key other than \"\(file)\", or it was changed.", .credentials)
            return
        }
        inspection.add("signature", "valid, from the key in \"\(file)\"\(form)")
        inspection["signature"] = "right"
        if let named = PushProviderKey.keyID(inFileName: file), named != content.keyID {
            inspection.addProblem(
                "Its key id is \(content.keyID), but the file is named after \(named): Apple answers InvalidProviderToken.",
                .credentials)
        }
    }

    private func objectToIDs(_ content: ProviderTokenContent, in inspection: inout Inspection) {
        for (label, id) in [("key id (kid)", content.keyID), ("team id (iss)", content.teamID)] {
            guard let problem = PushProviderKey.problem(in: id) else { continue }
            inspection.addProblem("Its \(label) \(problem).", .credentials)
        }
    }
}
