internal import PushJSON
internal import PushPlatform
internal import PushProvider

/// A fact that identifies a campaign, such as its input, its payload, or its environment.
public struct PushCampaignFact: Sendable, Hashable {
    /// The name in the journal, for example `payload`.
    public let name: String
    /// The value, or a digest of it.
    public let value: String
    /// The name in a sentence, for example `the payload`.
    public let message: String
    /// Whether the value is a digest, which people cannot read.
    let isDigest: Bool

    /// Creates a fact.
    ///
    /// - Parameters:
    ///   - name: The name in the journal.
    ///   - value: The value.
    ///   - message: The name in a sentence.
    public init(_ name: String, _ value: String, _ message: String) {
        self.name = name
        self.value = value
        self.message = message
        isDigest = false
    }

    /// Describes something long by its digest.
    ///
    /// - Parameters:
    ///   - name: For the journal.
    ///   - bytes: What it is.
    ///   - message: For a sentence that says that it is another.
    public init(_ name: String, digestOf bytes: some Sequence<UInt8>, _ message: String) {
        self.name = name
        value = String(QuickDigest.of(bytes), radix: 16)
        self.message = message
        isDigest = true
    }
}

/// The id of a campaign. The ids of its notifications are computed from it, so a line that is sent again has the same
/// id.
struct CampaignID: Hashable, Sendable {
    let bits: UInt128

    static func random() -> CampaignID { CampaignID(bits: .random(in: .min ... .max)) }

    func requestID(_ index: Int) -> RequestID {
        let high = Self.mixed(UInt64(truncatingIfNeeded: bits >> 64) &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        let low = Self.mixed(UInt64(truncatingIfNeeded: bits) ^ high)
        return RequestID(random: UInt128(high) << 64 | UInt128(low))
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

/// The content of the first block of a journal.
struct CampaignHead: Equatable {
    var id: CampaignID
    var facts: [String: String]

    init(id: CampaignID, facts: [PushCampaignFact]) {
        self.id = id
        self.facts = Dictionary(facts.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    init?(_ json: [UInt8]) {
        guard let value = PushJSONValue(json: json), case .string(let id)? = value["id"],
            let bits = UInt128(id, radix: 16),
            case .object(let members)? = value["facts"]
        else { return nil }
        self.id = CampaignID(bits: bits)
        facts = members.compactMapValues(\.text)
    }

    var json: [UInt8] {
        PushJSONValue.object([
            "id": .string(String(id.bits, radix: 16)), "facts": .object(facts.mapValues(PushJSONValue.string)),
        ]).encoded
    }

    /// A fact that is not the same as when the campaign began.
    struct Difference {
        var fact: PushCampaignFact
        /// Its value when the campaign began; `nil` when the journal has none.
        var known: String?
    }

    /// Returns the first fact that differs. A journal that was written before campaigns noted their time fits any time.
    func difference(_ facts: [PushCampaignFact]) -> Difference? {
        let fact = facts.first { fact in
            guard let known = self.facts[fact.name] else { return fact.name != PushCampaignFact.begunName }
            return known != fact.value
        }
        return fact.map { Difference(fact: $0, known: self.facts[$0.name]) }
    }
}

extension RequestID {
    var uuid: UUID { withUnsafeBytes(of: bits.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } }
}
