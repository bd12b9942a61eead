import Accessory
import Adapters
import Simulator

/// `sim:OPTIONS`: a simulated adapter and vehicle.
struct SimulatorTransport: Transport {
    /// The text after the colon.
    var options: String

    static let form = TransportForm("sim", short: "sim:")

    static var offers: [AddressOffer] {
        [AddressOffer("sim:", about: "a simulated vehicle")]
            + SimulatorCatalogue.scenarios.map { AddressOffer("sim:\($0.name)", about: $0.title) }
    }

    init(_ rest: Substring, of text: String) { options = String(rest) }

    var description: String { "sim:\(options)" }
    var isServedHere: Bool { true }

    /// The wire protocols of the simulated adapter, if it is not an ELM327.
    var protocols: [String] {
        guard let options = try? SimulatorLink.options(options) else { return [] }
        return options.protocols
    }

    /// A vehicle file can only be checked by reading it.
    var visibleFault: String? {
        if SimulatorOptions.vehicleFile(in: options) != nil { return nil }
        do throws(SimulatorError) {
            _ = try SimulatorOptions(options)
            return nil
        } catch {
            return error.reason
        }
    }

    func connector() throws(AccessoryError) -> Connector {
        do throws(LocalLinkFault) {
            return try SimulatorLink.connector(options)
        } catch {
            throw AccessoryError(error)
        }
    }

    func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try connector().open(within: limit, cancelledBy: cancel)
    }
}
