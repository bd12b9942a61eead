import Glibc
import OBDCore
import SystemIO

/// Searches for Bluetooth devices and pairs one, through the BlueZ daemon.
///
/// Needs no privilege.
public enum BluetoothPairing {
    private static let service = "org.bluez"
    /// An inquiry takes 10.24 s to find every device.
    public static let searchTime = Duration.seconds(12)
    /// Covers paging, key exchange and service discovery.
    private static let pairingTime = Duration.seconds(40)
    private static let patience = Duration.seconds(5)
    /// The PINs that adapters use, the most frequent first.
    public static let usualPINs = ["1234", "0000", "6789", "1111"]

    /// A device in reach.
    public struct Found: Hashable, Sendable {
        /// The device in the form that lists show.
        public var accessory: Accessory
        /// The device's address.
        public var address: BluetoothAddress
        /// Whether the device is paired.
        public var isPaired: Bool
        /// Whether the device supports Bluetooth LE only.
        public var isLowEnergyOnly: Bool
        /// Whether the name or a serial port suggests that the device is an adapter.
        public var isLikelyAdapter: Bool

        init(_ device: BlueZObjects.Device) {
            accessory = Accessory(device, connectionID: 0)
            address = device.address
            isPaired = device.isPaired
            isLowEnergyOnly = device.isLowEnergyOnly
            isLikelyAdapter = accessory.isLikelyAdapter || device.offersSerialPort
        }
    }

    /// The devices that BlueZ knows without a search; nil without BlueZ.
    public static func known() -> [Found]? {
        (try? BlueZ.objects())?.devices.map(Found.init)
    }

    /// Every device that answers within `time`, likely adapters first; nil if cancelled.
    public static func search(
        for time: Duration = searchTime, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> [Found]? {
        try search(for: time, on: SystemBus.systemPath, cancelledBy: cancel)
    }

    /// The same search on the bus at `path`.
    static func search(
        for time: Duration, on path: String, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> [Found]? {
        try translated { () throws(SystemBus.Fault) -> [Found] in
            var bus = try SystemBus(
                path: path, until: SystemClock.now() + patience, cancelledBy: cancel)
            let adapters = try powered(&bus)
            let end = SystemClock.now() + time
            for adapter in adapters {
                try call(
                    &bus, adapter, "Adapter1", "SetDiscoveryFilter",
                    [.properties(["Transport": "auto"])])
                do throws(SystemBus.Fault) {
                    try call(&bus, adapter, "Adapter1", "StartDiscovery")
                } catch {
                    // Another program's search finds the same devices.
                    guard error == .refused("org.bluez.Error.InProgress") else { throw error }
                }
            }
            do throws(SystemBus.Fault) {
                while true { _ = try bus.nextSignal(until: end) }
            } catch {
                if error != .timedOut { throw error }
            }
            // BlueZ forgets devices that are not paired some time after the search.
            let found = try BlueZ.objects(&bus, until: SystemClock.now() + patience).devices
            for adapter in adapters { try? call(&bus, adapter, "Adapter1", "StopDiscovery") }
            return found.map(Found.init).sorted { one, other in
                (one.isLikelyAdapter ? 0 : 1, one.accessory.name, one.address.description)
                    < (
                        other.isLikelyAdapter ? 0 : 1, other.accessory.name,
                        other.address.description
                    )
            }
        }
    }

    /// Pairs a device and trusts it, trying the PINs one after the other.
    ///
    /// - Parameter trying: called with each PIN before it is tried.
    /// - Returns: the PIN at which the device paired, whether or not it asked for one; nil if cancelled.
    public static func pair(
        _ address: BluetoothAddress, pins: [String] = usualPINs, cancelledBy cancel: Int32?,
        trying: (String) -> Void = { _ in }
    ) throws(AccessoryError) -> String? {
        try pair(
            address, pins: pins, on: SystemBus.systemPath, cancelledBy: cancel, trying: trying)
    }

    /// The same pairing on the bus at `path`.
    static func pair(
        _ address: BluetoothAddress, pins: [String], on path: String, cancelledBy cancel: Int32?,
        trying: (String) -> Void
    ) throws(AccessoryError) -> String? {
        let result = try translated { () throws(SystemBus.Fault) -> PairingResult in
            var bus = try SystemBus(
                path: path, until: SystemClock.now() + patience, cancelledBy: cancel)
            _ = try powered(&bus)
            let objects = try BlueZ.objects(&bus, until: SystemClock.now() + patience)
            guard let device = objects.paths[address] else { return .unseen }
            try call(
                &bus, "/org/bluez", "AgentManager1", "RegisterAgent",
                [.path(PairingAgent.path), .text(PairingAgent.capability)])
            for pin in pins {
                trying(pin)
                bus.serve(PairingAgent(device: device, pin: pin))
                do throws(SystemBus.Fault) {
                    _ = try bus.call(
                        service, device, "org.bluez.Device1", "Pair",
                        until: SystemClock.now() + pairingTime)
                } catch {
                    switch error {
                    case .refused("org.bluez.Error.AlreadyExists"): break
                    // The PIN was wrong, or the device gave up.
                    case .refused("org.bluez.Error.AuthenticationFailed"),
                        .refused("org.bluez.Error.AuthenticationRejected"),
                        .refused("org.bluez.Error.AuthenticationCanceled"):
                        continue
                    case .refused("org.bluez.Error.ConnectionAttemptFailed"),
                        .refused("org.bluez.Error.AuthenticationTimeout"), .timedOut:
                        return .silent
                    default: throw error
                    }
                }
                try call(
                    &bus, device, "org.freedesktop.DBus.Properties", "Set",
                    [.text("org.bluez.Device1"), .text("Trusted"), .variant(true)])
                return .paired(pin)
            }
            return .refused
        }
        switch result {
        case .paired(let pin): return pin
        case .unseen, .silent: throw .bluetooth(address: "\(address)", .silent)
        case .refused: throw .bluetooth(address: "\(address)", .authenticationFailed)
        case nil: return nil
        }
    }

    private enum PairingResult {
        case paired(String), refused, silent, unseen
    }

    // MARK: The bus

    private static func call(
        _ bus: inout SystemBus, _ path: String, _ interface: String, _ member: String,
        _ arguments: [DBusMessage.Argument] = []
    ) throws(SystemBus.Fault) {
        let name = interface.contains(".") ? interface : "\(service).\(interface)"
        _ = try bus.call(
            service, path, name, member, arguments, until: SystemClock.now() + patience)
    }

    /// The controllers that are switched on.
    private static func powered(_ bus: inout SystemBus) throws(SystemBus.Fault) -> [String] {
        let all = try BlueZ.objects(&bus, until: SystemClock.now() + patience).adapters
        if all.isEmpty { throw .unavailable(errno: ENODEV) }
        let powered = all.filter(\.isPowered).map(\.path)
        if powered.isEmpty { throw .refused("org.bluez.Error.NotReady") }
        return powered
    }

    /// Runs `body` and turns faults of the bus into faults of Bluetooth; nil if cancelled.
    private static func translated<Value>(
        _ body: () throws(SystemBus.Fault) -> Value
    ) throws(AccessoryError) -> Value? {
        do throws(SystemBus.Fault) {
            return try body()
        } catch {
            switch error {
            case .cancelled: return nil
            case .unavailable(let number): throw .bluetooth(.unavailable(errno: number))
            case .refused(let name) where name.hasSuffix(".NotReady"):
                throw .bluetooth(.unavailable(errno: ENETDOWN))
            case .refused("org.freedesktop.DBus.Error.ServiceUnknown"),
                .refused("org.freedesktop.DBus.Error.NameHasNoOwner"):
                throw .bluetooth(.unavailable(errno: ENOENT))
            case .refused, .nonsense: throw .bluetooth(.unavailable(errno: EPROTO))
            case .timedOut: throw .bluetooth(.unavailable(errno: ETIMEDOUT))
            }
        }
    }
}

extension Transport {
    /// Whether the address is that of a Bluetooth Classic device, which may need pairing first.
    public var isPairable: Bool { self is RFCOMMTransport || self is BluetoothNameTransport }
}

extension AccessoryError {
    /// Whether a Bluetooth device rejected the PIN.
    public var isRefusedPairing: Bool {
        if case .accessory(_, .authenticationFailed)? = fault as? BluetoothFault {
            true
        } else {
            false
        }
    }
}
