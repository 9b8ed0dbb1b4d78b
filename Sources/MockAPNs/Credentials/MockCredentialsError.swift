/// Why a mock has no credentials to start with.
public struct MockCredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// A name that can stand in no certificate.
        public static let badName = Code(word: "badName")
        /// The state folder cannot be made, read or written, or is no folder.
        public static let unusableFolder = Code(word: "unusableFolder")
        /// Another process has held the state folder for too long.
        public static let busy = Code(word: "busy")
        /// A kept file is damaged, or does not belong to the others.
        public static let damagedFile = Code(word: "damagedFile")
        /// A kept file is missing while those that belong to it are there.
        public static let missingFile = Code(word: "missingFile")
        /// A folder that somebody else has made is not there, or something is missing in it.
        public static let notSupplied = Code(word: "notSupplied")
        /// The kept authority is no longer valid, or not yet.
        public static let authorityNotInForce = Code(word: "authorityNotInForce")
        /// Keys or certificates could not be made.
        public static let failed = Code(word: "failed")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong and what to do, in a sentence.
    public let description: String
}

extension MockCredentialsError {
    static func unusableFolder(_ folder: String, _ why: String) -> MockCredentialsError {
        MockCredentialsError(
            code: .unusableFolder,
            description: "The mock cannot keep its state in \"\(folder)\": \(why). Name a folder that you may write."
        )
    }

    /// A file that somebody else has made.
    static func unusableFile(_ file: String, _ why: String) -> MockCredentialsError {
        let sentence = why.hasSuffix(".") ? why : why + "."
        return MockCredentialsError(code: .damagedFile, description: "\(file) cannot be used: \(sentence)")
    }

    static func unreadableFolder(_ folder: String, _ why: String) -> MockCredentialsError {
        MockCredentialsError(
            code: .notSupplied,
            description: """
                The folder "\(folder)" cannot be read: \(why). certs.example/make.sh makes one with all that the mock \
                needs.
                """
        )
    }

    static func busy(_ folder: String, seconds: Int) -> MockCredentialsError {
        MockCredentialsError(
            code: .busy,
            description: """
                Another process has held the state folder \(folder) for \(seconds) seconds: end it, or name another \
                folder.
                """
        )
    }

    static func damaged(_ file: String, _ why: String, folder: String) -> MockCredentialsError {
        MockCredentialsError(
            code: .damagedFile,
            description: "\(file) cannot be used: \(sentence(why)) \(wayOut(folder))"
        )
    }

    static func missing(_ file: String, folder: String) -> MockCredentialsError {
        MockCredentialsError(
            code: .missingFile,
            description: "\(file) is missing, and what is beside it is of no use without it. \(wayOut(folder))"
        )
    }

    static func authorityNotInForce(_ file: String, tooEarly: Bool, folder: String) -> MockCredentialsError {
        let why = tooEarly ? "is not valid yet: the clock of this machine may be behind" : "is at the end of its time"
        return MockCredentialsError(
            code: .authorityNotInForce, description: "The mock's authority \(file) \(why). \(wayOut(folder))")
    }

    private static func wayOut(_ folder: String) -> String {
        """
        Delete the folder \(folder) and start again: the mock makes everything anew (clients then need the new ca.pem \
        and .p8).
        """
    }

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix(")") ? text : text + "."
    }
}
