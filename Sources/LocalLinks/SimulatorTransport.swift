import Accessory
import Adapters
import Simulator

/// `sim:OPTIONS`: a simulated adapter and vehicle.
struct SimulatorTransport: Transport {
    /// Everything after the colon.
    var options: String

    static let form = TransportForm("sim", short: "sim:")

    static var offers: [AddressOffer] {
        [AddressOffer("sim:", about: "a simulated vehicle")]
            + SimulatorCatalogue.scenarios.map { AddressOffer("sim:\($0.name)", about: $0.title) }
    }

    init(_ rest: Substring, of text: String) { options = String(rest) }

    var description: String { "sim:\(options)" }
    var isServedHere: Bool { true }

    /// The protocol of a GoLink or a DoIP gateway, where one is simulated.
    var protocols: [String] {
        switch (try? SimulatorOptions(options))?.personality {
        case SimulatorOptions.goLink: return [GoLinkDialect.protocolString]
        case SimulatorOptions.doip: return [DoIPDialect.protocolString]
        default: return []
        }
    }

    /// Of a vehicle file only its text can tell.
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
