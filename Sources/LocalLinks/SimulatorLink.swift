import Accessory
import CSystem
import Glibc
import OBDCore
import Simulator
import SystemIO

/// `sim:`: a simulated adapter and vehicle, connected by a socket pair.
public enum SimulatorLink {
    /// The connector for the text after `sim:`.
    ///
    /// The vehicle and the adapter live as long as the connector, so they keep their state when the link is
    /// opened again.
    public static func connector(_ text: String) throws(LocalLinkFault) -> Connector {
        let options = try options(text)
        let device: any SimulatedDevice
        do throws(SimulatorError) {
            device = try options.device(at: SystemClock.now())
        } catch {
            throw .options(error)
        }
        return connector(to: device, name: "sim:" + text, options.protocols)
    }

    private static func connector(
        to device: some SimulatedDevice, name: String, _ protocols: [String]
    ) -> Connector {
        let shared = SharedDevice(device)
        return .descriptor(name: name, protocols: protocols) { () throws(AccessoryError) in
            try socketPair(to: shared, name: name)
        }
    }

    /// Reads the text after `sim:` and the user's vehicle file, if any.
    public static func options(_ text: String) throws(LocalLinkFault) -> SimulatorOptions {
        let vehicle = try SimulatorOptions.vehicleFile(in: text).map(vehicle)
        do throws(SimulatorError) {
            return try SimulatorOptions(text, vehicle: vehicle)
        } catch {
            throw .options(error)
        }
    }

    /// Reads the vehicle from a user's file.
    public static func vehicle(reading path: String) throws(LocalLinkFault) -> Scenario {
        let bytes = try LocalLinkFault.contents(of: path)
        do throws(VehicleFileError) {
            return try Scenario(contents: bytes, file: path)
        } catch {
            throw .vehicleFile(error.description)
        }
    }

    /// One end of a new socket pair; `device` serves the other end until this one is closed.
    public static func socketPair<Device: ServedDevice>(
        to device: SharedDevice<Device>, name: String
    ) throws(AccessoryError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw .system(call: "socketpair", address: name, errno: errno)
        }
        let served = ends[1]
        do {
            try SystemThread {
                var session = DescriptorSession(descriptor: served, kind: .stream, name: name)
                // When serving ends for any reason, the link closes and the host notices it.
                _ = try? serve(device, on: &session, stop: -1)
            }.detach()
        } catch {
            close(ends[0])
            close(served)
            throw .system(call: error.call, address: name, errno: error.errno)
        }
        return ends[0]
    }
}
