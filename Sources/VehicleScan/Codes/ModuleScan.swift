public import Diagnostics
public import OBDCore
import ScanSession

/// The trouble codes of the ECUs at their own addresses.
public struct ModuleScan: Sendable {
    /// One ECU.
    public struct Module: Sendable {
        /// The ECU's addresses.
        public var module: AddressScan.Module
        /// The requests for the module's codes.
        public var asked: [QueryResult]

        /// The ECU's codes.
        public var codes: [CodeReport] {
            asked.flatMap(\.answer.items).compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }

        /// The service that returned them; nil if all were refused or not answered.
        public var service: Service? {
            asked.first(where: \.isPositive)?.answer.exchange.request?.first.map { Service($0) }
        }

        /// The ECU's first refusal, which is a UDS refusal if the ECU supports UDS; nil if it did not refuse.
        public var refusal: NegativeResponse? {
            for case .negativeResponse(let refusal, _, _) in asked.flatMap(\.answer.items) {
                return refusal
            }
            return nil
        }
    }

    /// The ECUs that answered.
    public private(set) var modules: [Module] = []
    /// The number of addresses that were not asked because the time was over.
    public private(set) var unasked = 0

    /// Asks the addresses of a protocol in turn; nil if the protocol has none.
    ///
    /// The adapter's settings for single ECUs are restored in every case.
    public init?(
        _ vehicle: Vehicle, on vehicleProtocol: VehicleProtocol,
        progress: (ModuleScanProgress) -> Void = { _ in }
    ) throws(VehicleError) {
        let search = try ModuleSearch(
            vehicle, on: vehicleProtocol, progress: progress, read: Self.read)
        guard let search else { return nil }
        modules = search.modules
        unasked = search.unasked
    }

    private static func read(
        _ module: AddressScan.Module, _ vehicle: Vehicle
    ) throws(VehicleError) -> Module {
        var found = Module(module: module, asked: [])
        for request in AddressScan.codeRequests(for: module) {
            let asked = try vehicle.ask(.vehicle(request))
            found.asked.append(asked)
            if asked.isPositive { break }
        }
        // The answer is for ``Vehicle/ecuNames``.
        _ = try vehicle.ask(.vehicle(AddressScan.nameRequest(for: module)))
        return found
    }
}

/// The progress of a scan of all modules.
public enum ModuleScanProgress: Hashable, Sendable {
    /// This many addresses were asked, and this many modules answered.
    case asking(Int, of: Int, answered: Int)
    /// This many modules were asked for their codes, including the current one.
    case reading(Int, of: Int)
}
