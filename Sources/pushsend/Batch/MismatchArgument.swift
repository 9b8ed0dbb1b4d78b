import ArgumentParser
import PushProvider

/// When to stop a campaign whose tokens do not match the setup: `80%/100`, `80%`, or `off`.
struct MismatchArgument {
    /// The breaker; `nil` to never stop.
    let breaker: PushConfiguration.MismatchBreaker?

    init(_ text: String) throws(ValidationError) {
        if text == "off" {
            breaker = nil
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasSuffix("%"), let percent = Double(parts[0].dropLast()), percent > 0, percent <= 100 else {
            throw ValidationError("the share is above 0% and at most 100%, such as 80%/100; off never stops")
        }
        var breaker = PushConfiguration.MismatchBreaker.standard
        breaker.share = percent / 100
        if parts.count == 2 {
            guard let answers = Int(parts[1]), (1...1_000_000).contains(answers) else {
                throw ValidationError("the number of answers is from 1 to 1000000, such as 80%/100")
            }
            breaker.window = answers
        }
        self.breaker = breaker
    }
}
