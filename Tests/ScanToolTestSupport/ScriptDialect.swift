import Adapters
import OBDCore
import ScanTool
import VehicleLink

/// A dialect with words of one letter, so that tests can reach every path of the scan tool.
///
/// The dialect keeps the rules of `AdapterDialect`: one end per exchange, one result per set-up.
package struct ScriptDialect: AdapterDialect {
    package var protocolString: String { "org.obdscan.test.script" }

    package enum Phase: Hashable, Sendable {
        case unset, settingUp, leavingSetUp, ready, exchanging, interrupted
    }

    package var capabilities = LinkCapabilities()
    package var identity = AdapterIdentity()
    package var phase = Phase.unset
    /// The time limit for the adapter.
    package var patience = Duration.seconds(1)

    package init() {}

    package func isReadOnly(_ request: AdapterRequest) -> Bool {
        switch request {
        case .vehicle(let request):
            request.payload.isEmpty || VehicleRequest.isReadOnly(request.payload)
        case .action, .command, .monitor: true
        }
    }

    package mutating func initialise(_ out: inout [DialectOutput]) {
        phase = .settingUp
        out += [.write(Array("I".utf8)), .arm(.reply, after: patience)]
    }

    package mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        guard phase == .ready, request != Self.unspeakable, !request.isForOne else {
            out.append(.end(.refused))
            return
        }
        phase = .exchanging
        // A capital W is a writing request.
        out += [
            .write(Array((request.mayRepeat ? "R" : "W").utf8)), .arm(.reply, after: patience),
        ]
    }

    package mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .settingUp:
            phase = .leavingSetUp
            out += [.disarm(.reply), .write(Array("!".utf8)), .arm(.prompt, after: patience)]
        case .exchanging:
            phase = .interrupted
            out += [.disarm(.reply), .write(Array("!".utf8)), .arm(.prompt, after: patience)]
        case .unset, .leavingSetUp, .ready, .interrupted: break
        }
    }

    package mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch (phase, timer) {
        case (.settingUp, .reply):
            phase = .unset
            out.append(.initialisationFailed(.silent))
        case (.leavingSetUp, .prompt):
            phase = .unset
            out.append(.initialisationFailed(.interrupted))
        case (.exchanging, .reply), (.interrupted, .prompt):
            phase = .unset
            out.append(.end(.timedOut))
        default: break
        }
    }

    package mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        for index in bytes.indices { receive(Character(UnicodeScalar(bytes[index])), &out) }
    }

    private mutating func receive(_ word: Character, _ out: inout [DialectOutput]) {
        switch phase {
        case .settingUp:
            switch word {
            case "r":
                phase = .ready
                out += [.disarm(.reply), .ready(identity)]
            case "f":
                phase = .unset
                out += [.disarm(.reply), .initialisationFailed(.notUnderstood(received: 1))]
            case "v":
                phase = .unset
                out += [.disarm(.reply), .initialisationFailed(.noVehicle(.unableToConnect))]
            case "m": out.append(.message(Self.answer))
            default: say(word, &out)
            }
        case .leavingSetUp:
            if word == ">" {
                phase = .unset
                out += [.disarm(.prompt), .initialisationFailed(.interrupted)]
            }
        case .exchanging, .interrupted: exchange(word, &out)
        case .ready:
            switch word {
            case "z":
                phase = .unset
                out.append(.notice(.adapterRestarted(banner: "z")))
            case "m": out.append(.message(Self.answer))
            case "t": out.append(.text("OK"))
            default: say(word, &out)
            }
        case .unset: break
        }
    }

    private mutating func exchange(_ word: Character, _ out: inout [DialectOutput]) {
        switch word {
        case ">": end(phase == .interrupted ? .interrupted : .complete, &out)
        case "z": end(.adapterRestarted, &out)
        case "Z": end(.restartedBeforeSending, &out)
        case "x": end(.flooded, &out)
        case "o": end(phase == .interrupted ? .interrupted : .outOfStep, &out)
        case "m": out.append(.message(Self.answer))
        case "p": out.append(.message(Self.pending))
        case "B": out.append(.message(Self.refusal(0x21)))
        case "N": out.append(.message(Self.refusal(0x23)))
        case "D": out.append(.message(Self.refusal(0x37)))
        case "e": out.append(.linkError(LinkError(.notAFrame)))
        case "n": out.append(.status(.noData))
        case "d": out.append(.status(.dataError))
        case "l": out.append(.status(.lowVoltageReset))
        case "t": out.append(.text("OK"))
        case "h": out.append(.frame(id: Self.engine, data: [0x01]))
        // This word does not belong to an exchange, because no set-up is running.
        case "r": out.append(.ready(identity))
        default: say(word, &out)
        }
    }

    /// Handles words that may come at any time.
    private func say(_ word: Character, _ out: inout [DialectOutput]) {
        switch word {
        case "w": out.append(.write(Array("w".utf8)))
        case "k": out.append(.arm(.listen, after: patience))
        case "j": out.append(.disarm(.listen))
        case "b": out.append(.lineRate(115_200))
        case "u": out.append(.voltage(12.5))
        case "s": out.append(.notice(.aboutToSleep))
        default: break
        }
    }

    private mutating func end(_ end: ExchangeEnd, _ out: inout [DialectOutput]) {
        phase = end.isInStep ? .ready : .unset
        out += [.disarm(.reply), .disarm(.prompt), .end(end)]
    }

    package static let engine = ECUAddress(0x7E8, .can11)
    package static let answer = ECUMessage(ecu: engine, payload: [0x41, 0x0C, 0x1A, 0xF8])
    // ISO 14229-1: 7F, the requested service, NRC 78.
    package static func refusal(_ nrc: UInt8) -> ECUMessage {
        ECUMessage(ecu: engine, payload: [0x7F, 0x01, nrc])
    }
    package static let pending = ECUMessage(ecu: engine, payload: [0x7F, 0x01, 0x78])
    package static let read = AdapterRequest.vehicle(
        VehicleRequest(id: RequestID(rawValue: 1), payload: [0x01, 0x0C]))
    package static let clear = AdapterRequest.vehicle(
        VehicleRequest(id: RequestID(rawValue: 2), payload: [0x04], consent: Consent()))
    /// The same request without consent.
    package static let unwanted = AdapterRequest.vehicle(
        VehicleRequest(id: RequestID(rawValue: 2), payload: [0x04]))
    package static let monitor = AdapterRequest.monitor(
        id: RequestID(rawValue: 4), text: "ATMA", atMost: .seconds(100))
    package static let unspeakable = AdapterRequest.command(
        id: RequestID(rawValue: 3), text: "??", mayRepeat: true)
}

package typealias Tool = ScanTool<ScriptDialect>

extension Policy {
    /// Small limits, so that tests can reach all states.
    package static var small: Policy {
        var policy = Policy()
        policy.pendingCount = 2
        policy.pendingRepeats = 1
        policy.busyRepeats = 2
        policy.initialisationTries = 2
        policy.sessionTries = 3
        return policy
    }
}

extension ScanTool where Dialect == ScriptDialect {
    /// A scan tool after these events.
    package static func after(_ events: [Event], policy: Policy = .small) -> Tool {
        var tool = Tool(dialect: ScriptDialect(), policy: policy)
        for event in events { _ = tool.effects(of: event) }
        return tool
    }

    package mutating func effects(of event: Event) -> [Effect] {
        var effects: [Effect] = []
        handle(event, &effects)
        return effects
    }

    /// Handles several events and returns all effects.
    package mutating func effects(of events: [Event]) -> [Effect] {
        events.flatMap { effects(of: $0) }
    }
}

extension Event {
    /// Received words of the script.
    package static func heard(_ words: String) -> Event { .received(Array(words.utf8)) }
    /// A reading request.
    package static let read = Event.submitted(ScriptDialect.read)
    /// A writing request.
    package static let clear = Event.submitted(ScriptDialect.clear)
}

extension AdapterRequest {
    /// Whether it is for a single ECU, for which the script has no word.
    fileprivate var isForOne: Bool {
        if case .vehicle(let request) = self { request.target != nil } else { false }
    }
}

extension ExchangeEnd {
    /// Whether the adapter is in step and accepts the next request.
    fileprivate var isInStep: Bool {
        switch self {
        case .complete, .interrupted, .refused, .outOfStep: true
        case .timedOut, .flooded, .adapterRestarted, .restartedBeforeSending: false
        }
    }
}
