import MockAPNs
import PushJSON

/// The JSON of a checked expectation.
enum ExpectationForm {
    /// Writes the members that describe a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - mock: The mock that got them.
    ///   - phones: The phones, for the outcomes of the pushes.
    ///   - writer: Where to write the members.
    static func writeMembers(
        of result: MockArrivalExpectation.Result, in mock: MockServer, on phones: PhoneFeed, to writer: inout JSONWriter
    ) {
        writer.member("holds", result.holds)
        writer.member("count", result.count)
        writer.member("matches") { writer in
            writer.array(result.matches.prefix(100)) { writer, arrival in
                writer.object {
                    PushForm.write(arrival, to: &$0, record: phones.record(of: arrival.number), remedy: mock.text(of:))
                }
            }
        }
        guard !result.holds else { return }
        writer.member("near_misses") { writer in
            writer.array(result.nearMisses) { writer, miss in
                writer.object { writer in
                    writer.member("differences") { writer in
                        writer.array(miss.differences) { writer, difference in
                            writer.object {
                                $0.member("expected", difference.term)
                                $0.member("found", difference.found)
                            }
                        }
                    }
                    writer.object("push") {
                        PushForm.write(
                            miss.arrival, to: &$0, record: phones.record(of: miss.arrival.number),
                            remedy: mock.text(of:))
                    }
                }
            }
        }
    }
}
