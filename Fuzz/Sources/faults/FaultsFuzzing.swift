internal import FuzzSupport

@testable internal import MockAPNs

/// A fault in JSON: reading gives a fault that the mock can play and write again unchanged, or an error message.
enum FaultsFuzzing {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(MockFaultError) {
            let fault = try MockFault(json: text)
            try checkForm(fault)
            plan(fault)
        } catch {
            claim(!error.description.isEmpty, "the text of a refusal is empty")
            claim(error.description.utf8.count < 2000, "a refusal repeats the whole fault")
        }
    }

    private static func checkForm(_ fault: MockFault) throws(MockFaultError) {
        let json = fault.json
        claim(JSONForm.isObject(Array(json.utf8)), "the written fault is not JSON: \(json)")
        do throws(MockFaultError) {
            let again = try MockFault(json: json)
            claim(again.json == json, "a fault changes when it is written and read again")
        } catch {
            claim(false, "a written fault is refused: \(error)")
        }
    }

    /// A fault acts at most as often as its `times` allows.
    private static func plan(_ fault: MockFault) {
        var plan = FaultPlan(seed: 1)
        guard let id = plan.insert(fault) else { return claim(false, "an empty plan takes no fault") }
        var acted = 0
        for number in 1...20 {
            guard let order = plan.order(for: event(fault.moment, number)) else { continue }
            acted += 1
            claim(order.steps.count == fault.steps.count, "steps are lost")
            var course = FaultCourse(order)
            var done = 0
            // A repetition may take long.
            while done < 300, let step = course.nextStep() {
                done += 1
                if case .repeated = step { claim(false, "the steps still contain a repetition") }
                if case .frame(let frame) = step { claim(frame.onTheWire(1).count >= 9, "a frame without its header") }
                guard case .wait(let delay) = step else { continue }
                guard case .exactly(let time) = delay else {
                    claim(false, "a wait has no fixed time: \(step)")
                    continue
                }
                claim(time >= .zero && time <= .seconds(3600), "a wait is too long: \(step)")
            }
        }
        claim(acted <= fault.times ?? .max, "a fault acts more often than it may")
        let count = MockFault.Count(id: id, name: fault.name, applied: acted, isActive: acted != fault.times)
        claim(plan.counts == [count], "the count is wrong: \(plan.counts)")
    }

    private static func event(_ moment: MockFault.Moment, _ number: Int) -> FaultEvent {
        let request = FaultEvent.Request(number: number, numberOnConnection: number, deviceToken: "0f0f")
        return FaultEvent(moment: moment, connection: number, request: moment.hasRequest ? request : nil)
    }
}

extension FaultsFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let faults = [
            #"{"steps":["judge","no_answer"],"when":{"probability":0.5,"match":{"every":2}}}"#,
            #"{"at":"request_headers","steps":[{"open_window":{"of":"stream","by":1}},{"wait_ms":{"mean":20}},"stop_reading"]}"#,
            #"{"steps":[{"repeat":{"times":20,"steps":[{"frame":{"type":"PING","payload":{"filled":8}}},{"wait_ms":1}]}}]}"#,
            #"{"steps":[{"frame":{"type":1,"flags":["END_HEADERS"],"stream":"this","fields":[[":status","200"]]}},"fall_silent"]}"#,
            #"{"steps":[{"bytes":{"hex":"00ff"}},{"withhold":["PING"]},{"trickle":{"bytes":1,"every_ms":5}}]}"#,
            #"{"steps":[{"answer":{"status":200,"interim":[103],"padding":{"count":3,"bytes":9},"body":{"filled":3}}}]}"#,
            #"{"at":"connection_accepted","steps":[{"tls":{"certificate":"expired","alpn":"nothing"}}]}"#,
            #"{"steps":[{"wait_ms":{"median":50,"p99":800}},{"close_connection":"tls_alert"}]}"#,
            #"{"steps":[{"wait_ms":{"from":1,"through":500.5}}],"times":3,"name":"slow"}"#,
            #"{"steps":[{"answer":{"status":410,"reason":"Unregistered","timestamp_ms":1,"headers":{"a":"b"}}}]}"#,
            #"{"steps":[{"answer":{"status":503,"body":"text"}}],"when":{"topic":"a.b","push_type":"alert"}}"#,
            #"{"steps":[{"reset_stream":{"code":"REFUSED_STREAM","after_headers":true}}]}"#,
            #"{"steps":[{"go_away":{"last_stream":"newest","code":2,"text":"x"}},{"close_connection":"tcp_reset"}]}"#,
            #"{"at":"connection_established","steps":[{"settings":{"max_concurrent_streams":1}}]}"#,
            #"{"at":"connection_accepted","steps":[{"wait_ms":10}],"when":{"connection":{"from":2,"through":4}}}"#,
            #"{"steps":["no_answer"],"when":{"device_token":"0f0f","request":1,"request_on_connection":{"from":2}}}"#,
        ]
        var seeds: [String: [UInt8]] = [:]
        for (index, fault) in faults.enumerated() { seeds["fault-\(index)"] = Array(fault.utf8) }
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(FaultsFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    FaultsFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
