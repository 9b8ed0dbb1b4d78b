/// Why something cannot be a payload, found while it is built. No value of the caller's is in it.
public struct PayloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong; grows as more is told apart.
    public struct Code: Hashable, Sendable {
        let word: String
        /// A number that is not finite, for which JSON has no form.
        public static let notFinite = Code(word: "notFinite")
        /// A number outside of what Apple takes there.
        public static let outOfRange = Code(word: "outOfRange")
        /// Something else than an object, where only an object can stand.
        public static let notAnObject = Code(word: "notAnObject")
        /// A key of the app's own that has the name of one of Apple's.
        public static let reservedKey = Code(word: "reservedKey")
        /// Something that the payload cannot do without is not there.
        public static let missing = Code(word: "missing")
        /// The value's own `encode(to:)` has thrown, or has asked for what has no form in JSON.
        public static let cannotEncode = Code(word: "cannotEncode")
        /// A value that nests deeper than any payload, or holds itself.
        public static let tooDeep = Code(word: "tooDeep")
    }

    /// What is wrong.
    public let code: Code
    /// Where in the payload, for example `aps.sound.volume`.
    public let place: String
    /// What is wrong and what to do, in a sentence or two.
    public let description: String

    init(_ code: Code, _ place: String, _ words: String) {
        self.code = code
        // Keys come from the caller's data.
        self.place = PeerText.printable(String(place.unicodeScalars.prefix(200)))
        description = "\(self.place) \(words)"
    }
}

extension PayloadError {
    static func notFinite(_ place: String) -> PayloadError {
        PayloadError(
            .notFinite, place, "is not a finite number, and JSON has no other: give a number, or leave it out.")
    }

    static func notBetween0And1(_ place: String) -> PayloadError {
        PayloadError(.outOfRange, place, "is not between 0 and 1: give a number from 0.0 to 1.0.")
    }

    static func negative(_ place: String) -> PayloadError {
        PayloadError(.outOfRange, place, "is below zero: give 0 or more.")
    }

    static func notPositive(_ place: String) -> PayloadError {
        PayloadError(.outOfRange, place, "is below 1: give 1 or more, or leave it out.")
    }

    static func noTime(_ place: String) -> PayloadError {
        PayloadError(.outOfRange, place, "is no time between the years 1970 and 5138: give the Date that is meant.")
    }

    static func notAnObject(_ place: String) -> PayloadError {
        PayloadError(
            .notAnObject, place,
            "is not an object in JSON: give a struct, a class or a dictionary with texts as keys.")
    }

    static func reservedKey(_ place: String, _ advice: String) -> PayloadError {
        PayloadError(.reservedKey, place, "is a key of Apple's: \(advice)")
    }

    static func missing(_ place: String, _ words: String) -> PayloadError {
        PayloadError(.missing, place, words)
    }

    static func contradiction(_ place: String) -> PayloadError {
        PayloadError(
            .cannotEncode, place,
            "was to be encoded in two forms at once: its encode(to:) may ask for containers of one kind only.")
    }

    static func tooDeep(_ place: String) -> PayloadError {
        PayloadError(.tooDeep, place, "nests deeper than any payload may: does it hold itself?")
    }

    static func cannotEncode(_ place: String, _ cause: any Error) -> PayloadError {
        let words =
            switch cause {
            case EncodingError.invalidValue(_, let context): context.debugDescription
            default: String(describing: type(of: cause))
            }
        let shown = PeerText.printable(String(words.unicodeScalars.prefix(200)))
        return PayloadError(.cannotEncode, place, "could not be encoded: its encode(to:) has thrown (\(shown)).")
    }
}
