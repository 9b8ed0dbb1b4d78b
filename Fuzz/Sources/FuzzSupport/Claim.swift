/// A condition that must hold for every input. If it does not hold, the process ends, and libFuzzer keeps the input.
package func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
    // Only the end of the process tells libFuzzer that an input is a finding.
    if !holds { fatalError("claim broken: \(message())") }
}

/// Runs a call that must not fail here, such as the creation of a session. If it fails, the harness itself is wrong.
package func expected<Value>(_ body: () throws -> Value) -> Value {
    // Without what the harness needs, every further run would be worthless.
    do { return try body() } catch { fatalError("the harness itself failed: \(error)") }
}

/// A text for people or for a log must contain no character that controls a terminal or starts a new line.
package func claimPrintable(_ text: String, _ what: String) {
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
    claim(isPrintable, "\(what) contains a control character: \(text.debugDescription)")
}

/// The text of an error must not be empty, must be on one line, and must not quote a secret file.
package func claimHarmless(_ description: String, secret: [UInt8] = []) {
    claim(!description.isEmpty, "the text of an error is empty")
    claimPrintable(description, "an error")
    // The number of letters and digits in a row that counts as a quotation. Words are shorter, and chance matches too.
    let tooMuch = 16
    for word in description.utf8.split(whereSeparator: { !$0.isLetterOrDigit }) where word.count >= tooMuch {
        for start in word.indices.dropLast(tooMuch - 1) {
            let quotes = secret.holds(Array(word[start...].prefix(tooMuch)))
            claim(!quotes, "an error quotes the file: \(description.debugDescription)")
        }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) || self == 0x2B || self == 0x2F
    }
}

extension [UInt8] {
    /// Does not use `memmem` of the C library: libFuzzer watches it, and would copy the searched bytes into the input.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        withUnsafeBufferPointer { all in
            part.withUnsafeBufferPointer { part in
                guard all.count >= part.count else { return false }
                return (0...all.count - part.count).contains { start in
                    part.indices.allSatisfy { all[start + $0] == part[$0] }
                }
            }
        }
    }
}
