import OBDCore

/// The adapter's current values of the volatile settings that requests change.
struct WireSettings: Hashable, Sendable {
    /// The header of a request on the bus.
    struct Header: Hashable, Sendable {
        /// The digits of `AT SH`.
        var digits: String
        /// The top five bits of a 29-bit identifier (`AT CP`).
        var priority = Self.usualPriority

        /// The adapter's default.
        static let usualPriority: UInt8 = 0x18
    }

    /// The header of requests; nil for the protocol's functional default.
    var header: Header?
    /// The address byte after the identifier (`AT CEA`); nil if there is none.
    var extended: UInt8?
    /// Whether the adapter has accepted an address byte, or may have.
    var extending = Extending.never
    /// The ECUs whose answers pass the receive filter.
    var responders = VehicleRequest.Responders.usual
    /// Whether an STN has pass filters of its user, which replace its automatic ones.
    var hasPassFilters = false
    /// The address for flow control, if it differs from the adapter's default.
    var flowControl: ECUAddress?
    /// The time that the adapter waits for an answer (`AT ST`); unit: 4 ms.
    var patience = Self.usualPatience
    /// Whether a setting failed or was interrupted, so that all settings have to be sent again.
    var isUncertain = false

    /// The state of `AT CEA`, which adapters before v1.4 do not know.
    enum Extending: Hashable, Sendable {
        case never, tried, works
    }

    /// The adapter's default.
    static let usualPatience: UInt8 = 0x32
    /// The maximum, for slow services.
    static let longestPatience: UInt8 = 0xFF

    /// Services that answered "pending" and need the longer wait.
    // An array and not a set, because hashing takes longer than comparing two or three bytes.
    var slowServices = ServiceShape.all.filter(\.takesTime).map(\.service.rawValue)

    /// Whether requests and their answers have the adapter's default addresses.
    var areUsual: Bool {
        guard !isUncertain, !hasPassFilters, header == nil, extended == nil, flowControl == nil,
            case .usual = responders
        else { return false }
        return true
    }

    /// Whether the adapter has its default settings and `request` needs no others.
    func suits(_ request: VehicleRequest) -> Bool {
        guard areUsual, patience == Self.usualPatience, request.target == nil,
            request.answerTime == nil, case .usual = request.responders,
            let service = request.payload.first
        else { return false }
        return !slowServices.contains(service)
    }
}

/// Prepares requests to a single ECU and to all ECUs.
extension ELM327Dialect {
    /// The settings to change before `request`; nil if it cannot be sent.
    mutating func preparation(for request: VehicleRequest) -> [String]? {
        if wire.suits(request) { return [] }
        let usual = header(for: nil)
        let wanted = request.target == nil ? usual : header(for: request.target)
        // The default header for all ECUs works without being known.
        guard wanted != nil || request.target == nil && wire.header == nil else { return nil }
        var commands: [String] = []
        if wire.hasPassFilters {
            // Brings back the automatic filters.
            commands.append("ATAR")
            wire.hasPassFilters = false
        }
        let anew = wire.isUncertain
        // A request that writes to one ECU must not reach another, even if the header was changed since.
        let addressesAnew = anew || !request.mayRepeat && request.target != nil
        if let wanted, let now = wire.header ?? usual, wanted != now || addressesAnew {
            let hasPriority = capabilities.vehicleProtocol?.addressForm == .can29
            if wanted.priority != now.priority || addressesAnew && hasPriority {
                commands.append("ATCP" + Hex.string([wanted.priority]))
            }
            commands.append("ATSH" + wanted.digits)
            wire.header = wanted == usual ? nil : wanted
        }
        let extended = request.target?.extended
        if extended != wire.extended || addressesAnew && wire.extending != .never {
            if wire.extending == .never { wire.extending = .tried }
            commands.append("ATCEA" + (extended.map { Hex.string([$0]) } ?? ""))
            wire.extended = extended
        }
        appendResponders(for: request, anew: anew, &commands)
        let patience = patience(for: request)
        if patience != wire.patience || anew {
            commands.append("ATST" + Hex.string([patience]))
            wire.patience = patience
        }
        wire.isUncertain = false
        return commands
    }

    /// The value of `AT ST` that the request needs; unit: 4 ms.
    private func patience(for request: VehicleRequest) -> UInt8 {
        if request.payload.first.map(wire.slowServices.contains) ?? false {
            return WireSettings.longestPatience
        }
        guard let time = request.answerTime else { return WireSettings.usualPatience }
        let units = (time.seconds * 250).rounded(.up)
        return UInt8(min(max(1, units), 255))
    }

    /// Sets the receive filter and flow control if they differ from the adapter's defaults.
    ///
    /// By default the adapter accepts answers from 7E8 to 7EF, or 18DAF1xx, and sends flow control to their
    /// request addresses. An ECU with another address needs both settings.
    private mutating func appendResponders(
        for request: VehicleRequest, anew: Bool, _ commands: inout [String]
    ) {
        var responders = request.responders
        var flowControl: ECUAddress?
        if let target = request.target, target.form != .byte {
            if responders == .usual, !target.isUsualRequest || target.extended != nil {
                responders = .one(target.usualResponder)
            }
            // By itself, the adapter sends flow control to the usual request address of the ECU that answers.
            if case .one(let ecu) = responders,
                !target.isUsualRequest || target.extended != nil || ecu != target.usualResponder
            {
                flowControl = target
            }
        }
        // A filter cannot select addresses of one byte, so the caller checks the sender.
        if case .one(let ecu) = responders, ecu.form == .byte { responders = .usual }
        let isCAN = capabilities.vehicleProtocol?.family == .can
        if responders != wire.responders || anew && isCAN {
            switch responders {
            case .usual: commands.append("ATCRA")
            case .one(let ecu): commands.append("ATCRA" + ecu.digits)
            case .matching(let pattern, let mask):
                commands.append("ATCF" + pattern.digits)
                commands.append("ATCM" + ECUAddress(mask, pattern.form).digits)
            }
            wire.responders = responders
        }
        guard flowControl != wire.flowControl || anew && isCAN else { return }
        if let flowControl {
            // The adapter accepts its flow control mode only after header and data are set.
            let before = anew ? nil : wire.flowControl
            commands.append("ATFCSH" + flowControl.digits)
            if before == nil || before?.extended != flowControl.extended {
                let address = flowControl.extended.map { Hex.string([$0]) } ?? ""
                commands.append("ATFCSD" + address + "300000")
            }
            if before == nil { commands.append("ATFCSM1") }
        } else {
            commands.append("ATFCSM0")
        }
        wire.flowControl = flowControl
    }

    /// Commands with the effect of `AT CRA`, for an adapter that does not know `AT CRA`.
    private func substitutes(for command: String) -> [String]? {
        guard AdapterQuirk.remedy(forRefused: command) == .filterAndMask else { return nil }
        let address = String(command.dropFirst(5))
        switch capabilities.vehicleProtocol?.addressForm {
        case .can11:
            return address.isEmpty ? ["ATCF7E8", "ATCM7F8"] : ["ATCF" + address, "ATCM7FF"]
        case .can29:
            return address.isEmpty
                ? ["ATCF18DAF100", "ATCM1FFFFF00"] : ["ATCF" + address, "ATCM1FFFFFFF"]
        case .byte, .logical, nil: return nil
        }
    }

    /// The header of requests to `target`, or to all ECUs if nil; the result is nil if there is no such
    /// header.
    private func header(for target: ECUAddress?) -> WireSettings.Header? {
        guard let vehicleProtocol = capabilities.vehicleProtocol else { return nil }
        if let target {
            guard target.form == vehicleProtocol.requestForm else { return nil }
        }
        let byte = target.map { Hex.string(min($0.value, 0xFF), digits: 2) }
        switch vehicleProtocol.family {
        case .can:
            guard let target else {
                return WireSettings.Header(
                    digits: vehicleProtocol.addressForm == .can11 ? "7DF" : "DB33F1")
            }
            // Six digits of a 29-bit identifier; the rest is the priority.
            return target.form == .can11
                ? WireSettings.Header(digits: target.digits)
                : WireSettings.Header(
                    digits: Hex.string(target.value & 0xFF_FFFF, digits: 6),
                    priority: UInt8(target.value >> 24))
        case .iso14230: return WireSettings.Header(digits: byte.map { "82\($0)F1" } ?? "C233F1")
        case .j1939: return WireSettings.Header(digits: byte.map { "EA\($0)F9" } ?? "EAFFF9")
        // SAE J2178-1: the first byte distinguishes functional from physical addresses. ISO 9141-2 uses the
        // same bytes as VPW.
        case .iso9141: return WireSettings.Header(digits: byte.map { "6C\($0)F1" } ?? "686AF1")
        case .j1850:
            let isPWM = vehicleProtocol == .j1850PWM
            return WireSettings.Header(
                digits: byte.map { (isPWM ? "C4" : "6C") + $0 + "F1" }
                    ?? (isPWM ? "616AF1" : "686AF1"))
        }
    }

    /// Whether the address to which an adapter sends flow control by itself is for diagnostics.
    private var ownFlowControlIsDiagnostic: Bool {
        guard case .vehicle(let request) = running.request else { return true }
        switch wire.responders {
        case .one(let ecu):
            return ecu.isAskedForDiagnostics
                || ECUAddress(ecu.value, ecu.form).physicalRequest == request.target
        case .usual, .matching: return true
        }
    }

    // MARK: Answers

    /// Handles the prompt after a preparation.
    ///
    /// A request must not reach the wrong ECU. A setting that was not confirmed is sent again. If the setting
    /// is refused for good, the request is not sent, unless other commands have the same effect.
    mutating func finishPreparation(_ out: inout [DialectOutput]) {
        if running.restarted {
            abandonAfterRestart(&out)
            return
        }
        let command = running.preparation
        let words = lines.filter { !Self.isEcho($0, of: command) }
            .map { Self.withoutEcho($0, of: command) }
        lines.removeAll(keepingCapacity: true)
        if words == [Array("OK".utf8)] {
            running.sendings = 0
            if let setting = AdapterCommand(command) { reader.apply(setting) }
            if command.hasPrefix("ATCEA"), wire.extended != nil { wire.extending = .works }
            proceed(&out)
            return
        }
        let isRefused = words == [Array("?".utf8)]
        let isAddressByte = AdapterQuirk.remedy(forRefused: command) == .neverSet
        if running.sendings < (isRefused ? 2 : 3) {
            running.preparations.insert(command, at: 0)
            if isRefused { proceed(&out) } else { settle(&out) }
            return
        }
        running.sendings = 0
        if case .monitor = running.request {
            replaceMonitorFilter(command)
            proceed(&out)
        } else if isRefused, let substitutes = substitutes(for: command) {
            running.preparations.insert(contentsOf: substitutes, at: 0)
            proceed(&out)
        } else if AdapterQuirk.remedy(forRefused: command) == .goOn,
            !command.hasPrefix("ATFC") || ownFlowControlIsDiagnostic
        {
            proceed(&out)
        } else if isRefused, isAddressByte, wire.extended == nil, wire.extending != .works {
            // It never had an address byte, so there is none to remove.
            wire.extending = .never
            proceed(&out)
        } else {
            if isRefused, isAddressByte, wire.extending != .works {
                wire.extending = .never
                wire.extended = nil
            }
            wire.isUncertain = true
            out.append(.status(.unknownCommand))
            abandon(&out)
        }
    }
}
