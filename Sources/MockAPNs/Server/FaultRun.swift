internal import NIOCore
internal import PushWire

/// A fault that is running on a connection.
///
/// Use it only on the connection's event loop.
final class FaultRun {
    let mark: MockFault.Mark
    let moment: MockFault.Moment
    let request: (asked: MockRequest, streamID: Int32)?
    /// The verdict, if a step has checked the request before its answer.
    var verdict: MockVerdict?
    /// Whether the request has been answered, or will not be.
    var isDecided = false
    /// The number of repeated steps since the last pause.
    var stepsInTurn = 0
    /// The timer of a wait.
    var timer: Scheduled<Void>?
    /// The complete request and its number, for a run that began at the headers.
    var whole: (received: HTTP2Request, number: Int)?

    var sender: MockArrival.Sender?

    /// The mock that the fault belongs to, and the number of the connection there.
    let place: ConnectionPlace
    var state: MockState { place.state }

    private var course: FaultCourse

    init(
        _ order: FaultOrder, in place: ConnectionPlace, at moment: MockFault.Moment,
        request: (asked: MockRequest, streamID: Int32)? = nil
    ) {
        self.place = place
        mark = order.mark
        self.moment = moment
        self.request = request
        course = FaultCourse(order)
    }

    /// Takes the fault of the plan that acts at a moment of a connection; `nil` if none does. The plan counts it.
    static func take(at moment: MockFault.Moment, in place: ConnectionPlace) -> FaultRun? {
        let event = FaultEvent(moment: moment, connection: place.number)
        return place.state.order(for: event).map { FaultRun($0, in: place, at: moment) }
    }

    /// Takes the fault of the plan that acts on a request; `nil` if none does. The plan counts it.
    static func take(
        for request: MockRequest, _ asked: FaultEvent.Request, at moment: MockFault.Moment, on streamID: Int32,
        in place: ConnectionPlace
    ) -> FaultRun? {
        let event = FaultEvent(moment: moment, connection: place.number, request: asked)
        return place.state.order(for: event).map { FaultRun($0, in: place, at: moment, request: (request, streamID)) }
    }

    convenience init?(
        _ steps: [MockFault.Step], request: MockRequest, on streamID: Int32, in place: ConnectionPlace
    ) {
        guard let order = place.state.order(of: steps) else { return nil }
        self.init(order, in: place, at: .request, request: (request, streamID))
    }

    /// Whether a step is being repeated. The run then pauses until its bytes have been sent.
    var isRepeating: Bool { course.isRepeating }

    func nextStep() -> MockFault.Step? { course.nextStep() }

    /// The key of the run on its connection: a stream id, or a negative number for moments of the connection.
    var key: Int32 {
        switch moment {
        case .request, .requestHeaders: request?.streamID ?? 0
        case .connectionAccepted: -1
        case .connectionEstablished: -2
        }
    }
}
