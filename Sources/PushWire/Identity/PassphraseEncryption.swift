internal import CSSL

/// An encryption with a passphrase, read from its algorithm identifier (RFC 8018, RFC 7292 appendix C).
struct PassphraseEncryption: Equatable {
    /// The names of the algorithms, the outer one first: for example `PBES2, PBKDF2, hmacWithSHA256, aes-256-cbc`.
    var names: [String]
    /// The number of hash rounds: the largest number in the identifier; for scrypt the product of its first three.
    var rounds: Int { max(numbers.max() ?? 0, names.contains("scrypt") ? Self.product(numbers.prefix(3)) : 0) }

    private var numbers: [Int] = []

    /// The maximum number of hash rounds. Usual files have up to a million; a file with more than this limit is
    /// refused, because opening it takes hours.
    static let maximumRounds = 20_000_000

    var isTooSlow: Bool { rounds > Self.maximumRounds }

    /// Reads an `X509_ALGOR`. The caller keeps its ownership.
    init?(_ algorithm: UnsafePointer<X509_ALGOR>?) {
        guard let algorithm, let der = OpenSSLBytes.encoded({ i2d_X509_ALGOR(algorithm, $0) }) else { return nil }
        self.init(der: der)
    }

    init(der: [UInt8]) {
        names = []
        read(der[...], depth: 0)
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, depth: Int) {
        var elements = DERReader(bytes)
        while let element = elements.next() {
            switch element.tag {
            case DERReader.Element.sequence where depth < 8: read(element.content, depth: depth + 1)
            case DERReader.Element.objectIdentifier: names.append(Self.name(of: element.content))
            case DERReader.Element.integer: numbers.append(Self.number(element.content))
            default: break
            }
        }
    }

    private static func name(of identifier: ArraySlice<UInt8>) -> String {
        let der = [DERReader.Element.objectIdentifier, UInt8(min(identifier.count, 127))] + identifier.prefix(127)
        let object = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_ASN1_OBJECT(nil, &start, bytes.count)
        }
        defer {
            ASN1_OBJECT_free(object)
            OpenSSLErrorQueue.clear()
        }
        var text = [CChar](repeating: 0, count: 128)
        guard let object, OBJ_obj2txt(&text, Int32(text.count), object, 0) > 0 else { return "unreadable" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The cost of scrypt (RFC 7914): number of blocks, block size and number of passes, multiplied.
    private static func product(_ factors: ArraySlice<Int>) -> Int {
        factors.reduce(1) { product, factor in
            let (result, overflow) = product.multipliedReportingOverflow(by: factor)
            return overflow ? Int.max : result
        }
    }

    /// The value of an integer; `Int.max` if it does not fit.
    private static func number(_ content: ArraySlice<UInt8>) -> Int {
        let digits = content.drop { $0 == 0 }
        guard digits.count < 8 else { return Int.max }
        return digits.reduce(0) { $0 << 8 | Int($1) }
    }
}
