internal import APNSVocabulary

/// What a person pasted in the wrong place and an error must not show.
package enum SecretText {
    /// A part of a command line in a message: without secrets, and not too long. It's cut afterwards, because half of a secret looks like
    /// none.
    static func shown(_ text: String) -> String { String(masked(text).prefix(longestShown)).printable }

    /// The most characters of a part of a command line in a message.
    private static let longestShown = 40

    /// Returns a message without provider tokens, private keys in base64, and passwords in URLs.
    package static func masked(_ message: String) -> String {
        message
            .replacing(
                /-----BEGIN[A-Z ]*PRIVATE KEY-----(?:\s|\\n)*[A-Za-z0-9+\/=]{4}.*?(?:-----END[A-Z ]*-----|$)/
                    .dotMatchesNewlines(), with: "[key]"
            )
            .replacing(/eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+/, with: "[provider token]")
            // The shortest key that Apple gives has 184 characters.
            .replacing(/MI[A-Za-z0-9+\/=]{120,}/, with: "[key]")
            // The user of a database alone is no secret.
            .replacing(/(postgres(?:ql)?:\/\/[A-Za-z0-9_.\-]+@)(?![^\s\/"]*@)|:\/\/[^\s\/"]+@/) { match in
                match.1 == nil ? "://[user]@" : String(match.0)
            }
    }
}
