public import Diagnostics
public import OBDCore

/// The identification of the ECUs at their own addresses: part, serial and software numbers.
///
/// The only service is UDS ReadDataByIdentifier.
public struct ModuleIdentities: Sendable {
    /// One ECU.
    public struct Module: Sendable {
        /// The ECU's addresses.
        public var module: AddressScan.Module
        /// The identifications that the module answered.
        public var answers: [QueryResult] = []
        /// The number of identifications that it refused.
        public var refused = 0
        /// The number of identifications that the ECU was not asked for, or did not answer.
        public var unanswered = 0
    }

    /// The ECUs that answered at their addresses.
    public private(set) var modules: [Module] = []
    /// The number of addresses that were not asked because the time was over.
    public private(set) var unasked = 0

    /// Asks the addresses of a protocol in turn; nil if the protocol has none, or no UDS.
    ///
    /// The adapter's settings for single ECUs are restored in every case.
    public init?(
        _ vehicle: Vehicle, on vehicleProtocol: VehicleProtocol,
        progress: (ModuleScanProgress) -> Void = { _ in }
    ) throws(VehicleError) {
        guard vehicleProtocol.family == .can else { return nil }
        let search = try ModuleSearch(
            vehicle, on: vehicleProtocol, progress: progress, read: Self.read)
        guard let search else { return nil }
        modules = search.modules
        unasked = search.unasked
    }

    /// Asks one ECU; an ECU that does not have the service, or is silent twice in a row, is asked no more.
    private static func read(
        _ module: AddressScan.Module, _ vehicle: Vehicle
    ) throws(VehicleError) -> Module {
        var found = Module(module: module)
        let requests = AddressScan.identificationRequests(for: module)
        var silences = 0
        for (number, request) in requests.enumerated() {
            let asked = try vehicle.ask(.vehicle(request))
            silences = asked.answers.isEmpty ? silences + 1 : 0
            let refusal = asked.answer.items.lazy.compactMap { item in
                if case .negativeResponse(let refusal, _, _) = item { refusal } else { nil }
            }.first
            if asked.isPositive {
                found.answers.append(asked)
            } else if refusal != nil {
                found.refused += 1
            } else {
                found.unanswered += 1
            }
            guard silences == 2 || refusal?.nrc.rawValue == 0x11 else { continue }
            found.unanswered += requests.count - number - 1
            break
        }
        return found
    }
}
