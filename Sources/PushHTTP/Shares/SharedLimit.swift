/// A limit that several holders share. One holder gets at most half of it, so that nobody can keep all others out.
package struct SharedLimit: Sendable, Equatable {
    package enum Holder: Hashable, Sendable {
        case key(String)
        /// A client without a key, by its network address.
        case address(String)
    }

    /// Why nothing more is given.
    package enum Refusal: Hashable, Sendable {
        case share
        /// All holders together have everything.
        case whole
    }

    /// The most that all holders have together.
    package let maximum: Int
    /// The most that one holder has.
    package let maximumOfOne: Int
    /// What all holders have together.
    package private(set) var used = 0
    private var shares: [Holder: Int] = [:]

    /// Creates a limit. `maximumOfOne` is half of it, and at least 1, unless it is given.
    package init(_ maximum: Int, maximumOfOne: Int? = nil) {
        (self.maximum, self.maximumOfOne) = (maximum, maximumOfOne ?? Self.half(of: maximum))
    }

    /// The share of one holder in a limit.
    package static func half(of maximum: Int) -> Int { max(maximum / 2, 1) }

    package func used(by holder: Holder) -> Int { shares[holder, default: 0] }

    /// Why a holder can't get this much more; `nil` if it can.
    package func refusal(of count: Int, for holder: Holder) -> Refusal? {
        // Subtracted, so that no number overflows.
        if count > maximumOfOne - used(by: holder) { return .share }
        return count > maximum - used ? .whole : nil
    }

    /// Gives a holder more: all of it, or nothing.
    ///
    /// - Returns: `nil` if the holder got it.
    package mutating func take(_ count: Int, for holder: Holder) -> Refusal? {
        if let refusal = refusal(of: count, for: holder) { return refusal }
        // Nothing needs no entry, which nobody would take back.
        guard count > 0 else { return nil }
        used += count
        shares[holder, default: 0] += count
        return nil
    }

    /// Takes back what a holder got. A holder that has nothing left isn't remembered.
    package mutating func giveBack(_ count: Int, of holder: Holder) {
        let left = used(by: holder) - count
        used -= count
        shares[holder] = left > 0 ? left : nil
    }

    /// The number of holders that have something.
    package var holderCount: Int { shares.count }
}
