import OBDCore
import VehicleLink

/// The frames that a SocketCAN interface is asked to deliver.
///
/// A busy bus carries thousands of frames per second, and each of them would wake the program up. The kernel
/// drops what cannot be an answer in the vehicle's protocol, or to a request that was sent.
struct CANAcceptance: Hashable, Sendable {
    /// The most filters of answers at once; the kernel compares those with a mask one by one.
    static let most = 64
    /// The most identifiers to hear beside answers, for which the kernel has a table; it takes 512 filters in all.
    static let mostHeard = 400

    /// The current filters of answers, or of the listening; empty = every frame.
    private(set) var filters: [CANFilter] = []
    /// The frames to hear beside answers.
    private let heard: [CANFilter]
    /// The frames to hear in addition if the vehicle speaks SAE J1939.
    private let groups: [CANFilter]
    /// The protocol of the filters; nil if they are for none.
    private var vehicleProtocol: VehicleProtocol?
    /// Whether the filters are for listening to the bus.
    private var isListening = false

    /// The parts of long messages of SAE J1939, and the claims of addresses.
    static let carriers: Set<UInt32> = [
        J1939.connectionManagement, J1939.dataTransfer, J1939.addressClaimed,
    ]

    /// Nothing is accepted yet; `heard` are the identifiers of frames to hear beside answers, and `groups` the parameter
    /// groups if the vehicle speaks SAE J1939.
    init(heard: Set<ECUAddress> = [], groups: Set<UInt32> = []) {
        self.heard = heard.sorted().map { CANFilter($0) }
        let all = groups.isEmpty ? [] : groups.union(Self.carriers)
        self.groups = all.sorted().map { CANFilter(group: $0) }
    }

    /// Accepts the answers to `request`; returns the new filters, nil if the current filters pass the
    /// answers.
    mutating func accept(
        answersTo request: VehicleRequest, on vehicleProtocol: VehicleProtocol
    ) -> [CANFilter]? {
        // Most requests pass the current filters.
        if self.vehicleProtocol == vehicleProtocol, vehicleProtocol.family == .can,
            let own = CANExchange.Route(request, on: vehicleProtocol)?.filter,
            filters.contains(where: { $0.covers(own) })
        {
            return nil
        }
        let needed = CANExchange.filters(for: request, on: vehicleProtocol)
        if self.vehicleProtocol == vehicleProtocol {
            let missing = needed.filter { one in !filters.contains { $0.covers(one) } }
            if missing.isEmpty { return nil }
            filters = filters.count + missing.count > Self.most ? needed : filters + missing
        } else {
            self.vehicleProtocol = vehicleProtocol
            isListening = false
            filters = needed
        }
        // The dialect drops the frames that neither a request nor a table needs.
        let others = vehicleProtocol.family == .j1939 ? heard + groups : heard
        return others.count > Self.mostHeard ? [] : filters + others
    }

    /// Accepts frames that pass one of `listened`, or all frames if it is empty; returns false if
    /// the current filters accept the frames already.
    mutating func accept(only listened: [CANFilter]) -> Bool {
        guard !isListening || filters != listened else { return false }
        isListening = true
        vehicleProtocol = nil
        filters = listened
        return true
    }
}

extension CANExchange {
    /// The filters that pass every frame that can belong to an answer to `request`, and the answers of all
    /// ECUs to usual requests.
    static func filters(
        for request: VehicleRequest, on vehicleProtocol: VehicleProtocol
    ) -> [CANFilter] {
        if vehicleProtocol.family == .j1939 { return groupFilters(for: request.payload) }
        let usual = Route.functional(vehicleProtocol.addressForm)
        guard let own = Route(request, on: vehicleProtocol)?.filter, !usual.covers(own) else {
            return [usual]
        }
        return [usual, own]
    }

    /// The parameter group of a request, acknowledgements, and the transport protocol's frames to this tester
    /// and to all.
    private static func groupFilters(for payload: [UInt8]) -> [CANFilter] {
        var filters: [CANFilter] = []
        for group in [
            J1939.connectionManagement, J1939.dataTransfer, acknowledgementGroup,
        ] {
            for receiver in [testerAddress, J1939.everyone] {
                let id = J1939.Identifier(
                    priority: 0, parameterGroup: group, destination: receiver, source: 0)
                filters.append(CANFilter(ECUAddress(id.value, .can29), mask: 0x03FF_FF00))
            }
        }
        if payload.count == 3 {
            let group = UInt32(payload[0]) << 16 | UInt32(payload[1]) << 8 | UInt32(payload[2])
            filters.append(CANFilter(group: group))
        }
        return filters
    }

    /// SAE J1939-21: the group of acknowledgements.
    private static let acknowledgementGroup: UInt32 = 0xE800
}

extension CANFilter {
    /// The frames of a parameter group of SAE J1939, by any sender.
    fileprivate init(group: UInt32) {
        // Groups below F0 have the destination in the place of the lowest byte.
        let hasDestination = group >> 8 & 0xFF < 0xF0
        self.init(
            ECUAddress((group & 0x3_FFFF) << 8, .can29),
            mask: hasDestination ? 0x03FF_0000 : 0x03FF_FF00)
    }
}
