internal import NIOCore

/// A fault that is under way on a connection.
///
/// It belongs to the connection's event loop.
final class FaultRun {
    let mark: FaultMark
    let moment: FaultMoment
    /// The request that it acts on, with the id of its stream.
    let request: (asked: MockRequest, streamID: Int32)?
    /// What would be answered, where the request was judged before its time.
    var verdict: Verdict?
    /// What the mock would do next has been done, or will never be.
    var isDecided = false
    /// Ends a wait.
    var timer: Scheduled<Void>?

    private var steps: ArraySlice<FaultStep>

    init(_ order: FaultOrder, at moment: FaultMoment, request: (asked: MockRequest, streamID: Int32)? = nil) {
        mark = order.mark
        self.moment = moment
        self.request = request
        steps = order.steps[...]
    }

    func nextStep() -> FaultStep? { steps.popFirst() }

    /// What it is known by on its connection: streams have odd ids.
    var key: Int32 {
        switch moment {
        case .request: request?.streamID ?? 0
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
