/// What a person pasted in the wrong place and an error must not show.
package enum SecretText {
    /// Returns a message without provider tokens, private keys in base64, and passwords in URLs.
    package static func masked(_ message: String) -> String {
        message
            .replacing(/eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+/, with: "[provider token]")
            // The shortest key that Apple gives has 184 characters.
            .replacing(/MI[A-Za-z0-9+\/=]{120,}/, with: "[key]")
            .replacing(/:\/\/[^\s\/"@]+@/, with: "://[user]@")
    }
}
