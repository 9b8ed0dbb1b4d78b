/// A mark that payloads share if findings of the lint in one of them are also true for the others.
///
/// All marks are equal for `==`, so that payloads are equal if their bytes are. To distinguish marks, compare
/// identities.
package final class PayloadShape: Sendable, Hashable {
    /// The findings in one payload that are also true for the others.
    package enum Reach: Sendable {
        /// All findings except errors: all payloads come from one template.
        case warnings
        /// Only the result that there are no findings.
        case nothingFound
    }

    package let reach: Reach

    package init(_ reach: Reach) {
        self.reach = reach
    }

    package static func == (left: PayloadShape, right: PayloadShape) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
