/// A mark that payloads share when what the lint finds in one of them holds for the others.
///
/// Two marks are never "different" to `==`: payloads are equal when their bytes are. To tell marks apart, compare identities.
package final class PayloadShape: Sendable, Hashable {
    /// How much of what was found in one payload holds for the others.
    package enum Reach: Sendable {
        /// Every finding but an error, as only one template gives the payloads of a campaign.
        case warnings
        /// Only that nothing was found.
        case nothingFound
    }

    package let reach: Reach

    package init(_ reach: Reach) {
        self.reach = reach
    }

    package static func == (left: PayloadShape, right: PayloadShape) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
