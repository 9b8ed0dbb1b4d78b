/// Runs a call of another layer, and turns its error into one of this layer.
@inlinable
package func rethrowing<Value, Inner: Error, Outer: Error>(
    _ call: @autoclosure () throws(Inner) -> Value, as change: (Inner) -> Outer
) throws(Outer) -> Value {
    do throws(Inner) { return try call() } catch { throw change(error) }
}
