import MockAPNs
import PushJSON

enum ExpectationForm {
    /// Writes the members that describe a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - namespace: The mock that got them, and its phones.
    ///   - writer: Where to write the members.
    static func writeMembers(
        of result: MockArrivalExpectation.Result, in namespace: MockNamespace, to writer: inout JSONWriter
    ) {
        writer.member("holds", result.holds)
        writer.member("count", result.count)
        writer.objects("matches", result.matches.prefix(100)) { namespace.write($1, to: &$0) }
        guard !result.holds else { return }
        writer.objects("near_misses", result.nearMisses) { writer, miss in
            writer.objects("differences", miss.differences) { writer, difference in
                writer.member("expected", difference.term)
                writer.member("found", difference.found)
            }
            writer.object("push") { namespace.write(miss.arrival, to: &$0) }
        }
    }
}
