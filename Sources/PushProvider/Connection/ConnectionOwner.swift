/// What the parts of a connection need from it: ``RequestsInFlight``, ``QueueReader`` and ``SilenceCheck``.
protocol ConnectionOwner: AnyObject {
    /// Why the connection ends, as far as it is known.
    var endReason: EndReason { get }
    /// Handles all events that HTTP/2 has.
    func takeEvents()
    /// Takes more sends from the queue.
    func pull()
    /// Stops to take requests, or closes the connection.
    func perform(_ action: ConnectionState.DrainAction)
    /// Closes the connection in order.
    func close()
    /// Ends the connection now, even with requests in flight.
    func fail(_ failure: ConnectionFailure)
    /// Reports the phase, and whether the answer to a PING is awaited.
    func reportProgress()
}
