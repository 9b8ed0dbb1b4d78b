import TestSupport
import Testing

/// Expects that the command refused: this exit code, nothing on standard output, and on standard error one line that
/// names the thing and the way out.
func expectRefusal(
    _ ended: Ended, _ status: Int32, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(ended.status == status, sourceLocation: sourceLocation)
    #expect(ended.output == "", sourceLocation: sourceLocation)
    expectOneLine(ended, prefix: "pushsend: ", words, sourceLocation: sourceLocation)
}

/// Expects that the push was tried and did not leave: this exit code, and one line that says why.
func expectNotSent(
    _ ended: Ended, _ status: Int32, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(ended.status == status, sourceLocation: sourceLocation)
    #expect(ended.output.hasPrefix("not sent"), sourceLocation: sourceLocation)
    expectOneLine(ended, prefix: "It wasn't sent: ", words, sourceLocation: sourceLocation)
}

private func expectOneLine(_ ended: Ended, prefix: String, _ words: [String], sourceLocation: SourceLocation) {
    #expect(ended.errorLines.count == 1, "\(ended.errors)", sourceLocation: sourceLocation)
    #expect(ended.errors.hasPrefix(prefix), "\(ended.errors)", sourceLocation: sourceLocation)
    for word in words {
        #expect(ended.errors.contains(word), "\(ended.errors)", sourceLocation: sourceLocation)
    }
}
