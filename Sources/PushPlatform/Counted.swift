/// A number and its noun in the right form: `1 line`, `0 lines`, `2 authorities`.
///
/// - Parameters:
///   - count: The number.
///   - one: The noun for one thing. It can be followed by a verb: `job waits`.
///   - several: The noun for any other number; `nil` if it only has an `s` at its end.
///   - shown: The number as text, if it has another form, such as `9,998,213`.
/// - Returns: The number, a space and the noun.
package func counted(
    _ count: some BinaryInteger, _ one: String, _ several: String? = nil, shown: String? = nil
) -> String {
    "\(shown ?? String(count)) \(count == 1 ? one : several ?? one + "s")"
}
