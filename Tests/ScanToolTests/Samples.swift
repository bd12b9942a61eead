import OBDCore
import ScanTool
import ScanToolTestSupport
import Testing

/// A state of a scan tool, with events that lead to it.
struct StateSample: Sendable, CustomTestStringConvertible {
    var kind: StateKind
    /// The special property of this sample.
    var name: String
    /// The events that lead from the start to the state.
    var way: [Event]

    init(_ kind: StateKind, _ name: String, _ way: [Event]) {
        self.kind = kind
        self.name = name
        self.way = way
    }

    var tool: Tool { .after(way) }
    var testDescription: String { "\(kind.rawValue), \(name)" }

    static let start: [Event] = [.retry, .opened]
    static let idle: [Event] = start + [.heard("r")]

    static let all: [StateSample] = [
        StateSample(.initializing, "detached", []),
        StateSample(.initializing, "probing", start),
        StateSample(.initializing, "probing, stop requested", start + [.stopRequested]),
        StateSample(.initializing, "ready", idle + [.stopRequested]),
        StateSample(.idle, "set up", idle),
        StateSample(.waiting, "reply to a reading request", idle + [.read]),
        StateSample(.waiting, "reply, a message came", idle + [.read, .heard("m")]),
        StateSample(.waiting, "reply, response pending came", idle + [.read, .heard("p")]),
        StateSample(.waiting, "reply to a writing request", idle + [.clear]),
        StateSample(
            .waiting, "listening to the bus", idle + [.submitted(ScriptDialect.monitor)]),
        StateSample(.waiting, "reply, disturbed", idle + [.read, .heard("d")]),
        StateSample(.waiting, "pause before the repeat", idle + [.read, .heard("d>")]),
        StateSample(
            .waiting, "prompt after a time-out", idle + [.read, .deadlineExpired(.reply)]),
        StateSample(.waiting, "prompt after a stop", idle + [.read, .stopRequested]),
        StateSample(.processing, "reply", idle + [.read, .heard("m>")]),
        StateSample(
            .processing, "reply, stop requested", idle + [.read, .heard("m>"), .stopRequested]),
        StateSample(
            .error, "re-initialise next", idle + [.read, .deadlineExpired(.dialect(.reply))]),
        StateSample(.error, "session awaited", idle + [.closed]),
        StateSample(
            .error, "session ordered", idle + [.closed, .deadlineExpired(.retry)]),
        StateSample(
            .error, "given up",
            idle + [
                .closed, .deadlineExpired(.retry), .openFailed, .deadlineExpired(.retry),
                .openFailed, .deadlineExpired(.retry), .openFailed,
            ]),
    ]
}

/// Several samples of each kind of event.
struct EventSample: Sendable, CustomTestStringConvertible {
    var name: String
    var event: Event

    init(_ name: String, _ event: Event) {
        self.name = name
        self.event = event
    }

    var testDescription: String { name }

    static let all: [EventSample] = [
        EventSample("opened", .opened),
        EventSample("openFailed", .openFailed),
        EventSample("received nothing", .received([])),
        EventSample("received noise", .received([0x00, 0xFF, 0x80, 0x0D])),
        EventSample("received the end of the setup", .heard("r")),
        EventSample("received the failure of the setup", .heard("f")),
        EventSample("received \"no vehicle answers\"", .heard("v")),
        EventSample("received a message", .heard("m")),
        EventSample("received response pending", .heard("p")),
        EventSample("received response pending and the prompt", .heard("p>")),
        EventSample("received \"the bus was disturbed\" and the prompt", .heard("d>")),
        EventSample("received the prompt", .heard(">")),
        EventSample("received a sign of a restart", .heard("z")),
        EventSample("received a sign of a restart from before the request", .heard("Z")),
        EventSample("received the prompt and a sign of a restart", .heard(">z")),
        EventSample("received the end of the setup and a sign of a restart", .heard("rz")),
        EventSample("received more bytes than a reply may have", .heard("x")),
        EventSample("received an answer to another request", .heard("mo")),
        EventSample("received LV RESET and the prompt", .heard("l>")),
        EventSample("lineRateSet", .lineRateSet(115_200)),
        EventSample("submitted a reading request", .read),
        EventSample("submitted a writing request", .clear),
        EventSample(
            "submitted a writing request without consent", .submitted(ScriptDialect.unwanted)),
        EventSample("submitted a request to listen", .submitted(ScriptDialect.monitor)),
        EventSample("received a line and a frame", .heard("th")),
        EventSample(
            "submitted a request that cannot be sent", .submitted(ScriptDialect.unspeakable)),
        EventSample("deadlineExpired reply", .deadlineExpired(.reply)),
        EventSample("deadlineExpired pause", .deadlineExpired(.pause)),
        EventSample("deadlineExpired interrupt", .deadlineExpired(.interrupt)),
        EventSample("deadlineExpired initialisation", .deadlineExpired(.initialisation)),
        EventSample("deadlineExpired retry", .deadlineExpired(.retry)),
        EventSample("deadlineExpired dialect reply", .deadlineExpired(.dialect(.reply))),
        EventSample("deadlineExpired dialect prompt", .deadlineExpired(.dialect(.prompt))),
        EventSample("replyProcessed", .replyProcessed(RequestID(rawValue: 1))),
        EventSample("replyProcessed of another request", .replyProcessed(RequestID(rawValue: 9))),
        EventSample("stopRequested", .stopRequested),
        EventSample("retry", .retry),
        EventSample("closed", .closed),
    ]
}
