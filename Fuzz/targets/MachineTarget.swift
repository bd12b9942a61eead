import Adapters
import OBDCore
import ScanTool

/// A scan tool with an adapter that sends and does anything at any time.
///
/// Every request must have one outcome, a writing request must not be repeated, and the tool must
/// always wait for some event.
func readEvents(_ input: [UInt8]) {
    var cutter = Cutter(input)
    readEvents(&cutter, ELM327Dialect(), clearing: Array("04\r".utf8))
}

/// The same for any dialect; `clearing` is its request to clear codes.
func readEvents(_ cutter: inout Cutter, _ dialect: some AdapterDialect, clearing: [UInt8]) {
    var tool = ScanTool(dialect: dialect, policy: Policy())
    var world = MachineWorld(clearing: clearing)
    while !cutter.isAtEnd {
        let head = cutter.byte()
        let events = world.possible(in: tool)
        var event = events[Int(head) % events.count]
        if case .received = event { event = .received(cutter.bytes(Int(cutter.byte()))) }
        if case .submitted = event { event = world.request(cutter.byte()) }
        world.take(event, &tool)
    }
}

private struct MachineWorld {
    enum Link { case none, ordered, open, closing }

    let clearing: [UInt8]
    var link = Link.none
    var owed: Set<RequestID> = []
    var delivered: RequestID?
    var lastID: UInt32 = 0
    var clears = 0

    func possible(in tool: ScanTool<some AdapterDialect>) -> [Event] {
        if link == .closing { return [.closed] }
        var events: [Event] = []
        // Like the session, send no request after a lost link before the last outcome was
        // delivered.
        if delivered == nil || tool.state.kind != .idle {
            events.append(
                .submitted(.command(id: RequestID(rawValue: 0), text: "", mayRepeat: true)))
        }
        events += tool.armedDeadlines.map(Event.deadlineExpired)
        if let delivered { events.append(.replyProcessed(delivered)) }
        switch link {
        case .none, .closing: events.append(.retry)
        case .ordered: events += [.opened, .opened, .openFailed]
        case .open:
            // Mostly bytes; the other events are rare.
            events += Array(repeating: .received([]), count: 24)
            events += [.closed, .stopRequested, .lineRateSet(115_200)]
        }
        return events
    }

    mutating func request(_ choice: UInt8) -> Event {
        lastID += 1
        let id = RequestID(rawValue: lastID)
        switch choice & 7 {
        case 0: return .submitted(.command(id: id, text: "ATRV", mayRepeat: true))
        case 1: return .submitted(.command(id: id, text: "ATMA", mayRepeat: true))
        case 2:
            return .submitted(
                .vehicle(
                    VehicleRequest(id: id, payload: [0x04], consent: Consent())))
        case 3:
            return .submitted(.vehicle(VehicleRequest(id: id, payload: [0x09, 0x02])))
        default:
            return .submitted(
                .vehicle(VehicleRequest(id: id, payload: [0x01, choice >> 3, 0x0C])))
        }
    }

    mutating func take(_ event: Event, _ tool: inout ScanTool<some AdapterDialect>) {
        switch event {
        case .submitted(let request):
            owed.insert(request.id)
            if tool.state.kind == .idle { clears = 0 }
        case .opened: link = .open
        case .openFailed, .closed: link = .none
        case .replyProcessed: delivered = nil
        default: break
        }
        var effects: [Effect] = []
        tool.handle(event, &effects)
        for effect in effects {
            switch effect {
            case .deliver(let id, _):
                require(owed.remove(id) != nil, "a second outcome of \(id)")
                require(delivered == nil, "an outcome before the last was handed on")
                delivered = id
            case .refuse(let id, _): require(owed.remove(id) != nil, "a second outcome of \(id)")
            case .write(let bytes):
                require(link == .open, "written without a session")
                if bytes == clearing { clears += 1 }
                require(clears <= 1, "a writing request was written twice")
            case .open: if link == .none { link = .ordered }
            case .close:
                require(link == .open, "closed without a session")
                link = .closing
            case .report, .notice, .arm, .disarm, .setLineRate, .setFilter: break
            }
        }
        require(owed.count <= 1, "\(owed.count) requests at once")
        switch tool.state {
        case .waiting, .initializing(.probing):
            require(!tool.armedDeadlines.isEmpty, "waits without a deadline: \(tool.state)")
        case .initializing, .idle, .processing, .processingLast, .error:
            require(owed.isEmpty, "an outcome is owed in \(tool.state.kind)")
        case .modifying: require(false, "a state was left taken out")
        }
    }
}
