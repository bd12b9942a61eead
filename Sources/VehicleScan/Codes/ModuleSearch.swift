import Diagnostics
import OBDCore
import SystemIO

/// The time limit for asking all addresses; the modules found until then are still read.
private let limit = Duration.seconds(120)

/// Finds the ECUs at their own addresses and reads each of them.
struct ModuleSearch<Module> {
    /// The results, one for each ECU that answered.
    private(set) var modules: [Module] = []
    /// The number of addresses that were not asked because the time was over.
    private(set) var unasked = 0

    /// Asks the addresses of a protocol in turn, then calls `read` for each ECU that answered.
    ///
    /// The adapter's settings for single ECUs are restored in every case. The search is nil if the protocol has
    /// no addresses to ask.
    init?(
        _ vehicle: Vehicle, on vehicleProtocol: VehicleProtocol,
        progress: (ModuleScanProgress) -> Void,
        read: (AddressScan.Module, Vehicle) throws(VehicleError) -> Module
    ) throws(VehicleError) {
        guard let scan = AddressScan(vehicleProtocol) else { return nil }
        do throws(VehicleError) {
            try run(scan, vehicle, progress, read)
        } catch {
            Self.restore(vehicle)
            throw error
        }
        Self.restore(vehicle)
    }

    private mutating func run(
        _ scan: AddressScan, _ vehicle: Vehicle, _ progress: (ModuleScanProgress) -> Void,
        _ read: (AddressScan.Module, Vehicle) throws(VehicleError) -> Module
    ) throws(VehicleError) {
        var scan = scan
        let end = SystemClock.now() + limit
        while SystemClock.now() < end, let request = scan.next() {
            progress(
                .asking(scan.done, of: scan.addresses, answered: scan.modules.count))
            let asked = try vehicle.ask(.vehicle(request))
            scan.answered(asked.answer.reply.messages)
        }
        unasked = scan.addresses - scan.done
        for (number, module) in scan.modules.enumerated() {
            progress(.reading(number + 1, of: scan.modules.count))
            modules.append(try read(module, vehicle))
        }
    }

    /// Restores the settings even after an interruption, whose signal would also end this request.
    private static func restore(_ vehicle: Vehicle) {
        let nothing = VehicleRequest(id: RequestID(rawValue: 0), payload: [], mayRepeat: true)
        _ = try? vehicle.scan.ask(.vehicle(nothing))
    }
}
