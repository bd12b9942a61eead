import CSystem
import Glibc
import OBDCore
import SystemIO

/// Connects to Bluetooth devices over RFCOMM.
enum RFCOMMClient {
    /// Channels of adapters that have no service record.
    static let usualChannels: [UInt8] = [1, 2, 3]

    /// Connects to `channel`, or to the first channel that accepts the connection of those in the device's
    /// Serial Port Profile records; nil if the caller cancelled the wait.
    static func connect(
        _ address: BluetoothAddress, channel: UInt8?, within limit: Duration,
        cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        // Without Bluetooth on this machine there is no point in asking BlueZ.
        Glibc.close(try socket(for: address))
        guard hasController else { throw .bluetooth(.unavailable(errno: ENODEV)) }
        return try connect(
            address, known: BlueZ.device(address), channel: channel, within: limit,
            cancelledBy: cancel)
    }

    /// The same connection, with what BlueZ knows about the device.
    static func connect(
        _ address: BluetoothAddress, known: BlueZObjects.Device?, channel: UInt8?,
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let target = Target(address: address, isPaired: known?.isPaired ?? false, limit: limit)
        if known?.isLowEnergyOnly == true {
            throw .bluetooth(address: address.description, .lowEnergyOnly)
        }
        if let channel { return try connect(target, on: channel, cancelledBy: cancel) }
        let channels: [UInt8]
        switch try ServiceDiscovery.serialPortChannels(
            of: address, within: limit, cancelledBy: cancel)
        {
        case .found(let found): channels = found
        // Some adapters have a serial port but no record of it.
        case .noRecord: channels = usualChannels
        case .cancelled: return nil
        }
        for channel in channels {
            do {
                return try connect(target, on: channel, cancelledBy: cancel)
            } catch {
                // No service listens on that channel, but one may listen on another.
                guard error.isRefusedChannel else { throw error }
            }
        }
        throw .bluetooth(
            address: address.description,
            .refused(channel: channels.count == 1 ? channels.first : nil))
    }

    /// Whether this machine has a controller.
    ///
    /// The kernel reports the same error if there is no controller and if it is switched off.
    private static var hasController: Bool {
        Files.names(in: "/sys/class/bluetooth").contains { $0.hasPrefix("hci") }
    }

    private struct Target {
        var address: BluetoothAddress
        var isPaired: Bool
        var limit: Duration
    }

    private static func socket(for address: BluetoothAddress) throws(AccessoryError) -> Int32 {
        let descriptor = sys_stream_socket(sys_af_bluetooth(), sys_btproto_rfcomm())
        if descriptor >= 0 { return descriptor }
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV: throw .bluetooth(.unavailable(errno: errno))
        default: throw .system(call: "socket", address: address.description, errno: errno)
        }
    }

    private static func connect(
        _ target: Target, on channel: UInt8, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let descriptor = try socket(for: target.address)
        let name = "\(target.address)/\(channel)"
        let session = DescriptorSession(descriptor: descriptor, kind: .stream, name: name)
        // A paired device gets an encrypted connection. Other devices may not need pairing. Devices that need
        // pairing ask for it themselves, and BlueZ's agent then asks the user for the PIN.
        if target.isPaired { _ = sys_rfcomm_security(descriptor) }
        // The kernel expects the bytes in reverse of the printed order.
        let status = sys_rfcomm_connect(descriptor, target.address.bytes.reversed(), channel)
        switch try StreamConnection.finish(
            descriptor, status: status, deadline: SystemClock.now() + target.limit,
            cancelledBy: cancel)
        {
        case .connected: return session
        case .failed(let number): throw .bluetooth(errno: number, name, channel: channel)
        case .timedOut: throw .bluetooth(address: name, .silent)
        case .cancelled: return nil
        }
    }
}

extension AccessoryError {
    /// Whether no program listens on that channel.
    fileprivate var isRefusedChannel: Bool {
        if case .accessory(_, .refused)? = fault as? BluetoothFault { true } else { false }
    }
}
