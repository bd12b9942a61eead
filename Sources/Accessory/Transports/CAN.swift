import CSystem
import Glibc

/// `can:can0`: an interface of SocketCAN, which needs no adapter with a language of its own.
public struct CANTransport: Transport {
    /// The network interface.
    public var interface: String
    /// Whether all frames come, and not those alone that may be answers.
    public var hearsEverything = false

    /// How it is written.
    public static let form = TransportForm("can", short: "can:can0")

    /// An interface by its name.
    public init(interface: String) { self.interface = interface }

    /// Reads the interface's name.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("interface"), in: text) }
        // IFNAMSIZ, with the end mark.
        guard rest.utf8.count < 16, !rest.contains("/") else {
            throw AddressError(.badValue("interface", String(rest)), in: text)
        }
        self.init(interface: String(rest))
    }

    /// `can:can0`.
    public var description: String { "can:\(interface)" }

    /// Several programs may use an interface at once.
    public var isExclusive: Bool { false }

    /// Frames, and nothing else.
    public var protocols: [String] { ["org.obdscan.can"] }

    /// The interface as the kernel knows it now; nil = it does not exist.
    public var state: CANInterface? { CANInterface.named(interface) }

    /// How fast it is, and in which state.
    public func findings() -> [AccessoryFinding] {
        state.map { [AccessoryFinding(.device, $0.text)] } ?? []
    }

    // Identifiers and masks of linux/can.h, with the flags for 29 bits (bit 31) and remote frames
    // (bit 30) compared.
    /// 600 to 7FF, where diagnostics are on 11 bits, and every frame of 29 bits.
    private static let answers: [UInt32] = [0x600, 0xC000_0600, 0x8000_0000, 0xC000_0000]
    private static let everything: [UInt32] = [0, 0]
    /// All errors that a controller tells of.
    private static let errors: UInt32 = 0x1FFF_FFFF

    /// Opens a raw socket on the interface.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        let descriptor = sys_can_socket()
        if descriptor < 0 {
            if errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT || errno == EPERM {
                throw .can(.noSupport)
            }
            throw .system(call: "socket", address: name, errno: errno)
        }
        // From here on the session closes the descriptor, on every path.
        let session = DescriptorSession(descriptor: descriptor, kind: .frames, name: name)
        guard let state else { throw .can(.notFound(interface: interface)) }
        if let fault = state.fault, !isHarmless(fault) { throw .can(fault) }
        let filters = hearsEverything ? Self.everything : Self.answers
        if sys_can_filter(descriptor, filters, UInt32(filters.count / 2)) < 0
            || sys_can_errors(descriptor, Self.errors) < 0
        {
            throw .system(call: "setsockopt", address: name, errno: errno)
        }
        if sys_can_bind(descriptor, Int32(state.index)) < 0 {
            if errno == ENODEV { throw .can(.notFound(interface: interface)) }
            throw .system(call: "bind", address: name, errno: errno)
        }
        return session
    }

    /// Who only listens needs no more than that.
    private func isHarmless(_ fault: CANInterfaceFault) -> Bool {
        hearsEverything && fault == .listenOnly(interface: interface)
    }

    /// The interface was taken away.
    public var remedyWhenClosed: String { "is the adapter still plugged in? ip link shows it" }
}

/// What can go wrong with an interface of SocketCAN.
public enum CANInterfaceFault: AccessoryFault {
    /// The kernel has no support for CAN.
    case noSupport
    /// There is no such interface.
    case notFound(interface: String)
    /// The interface is of another kind.
    case notCAN(interface: String)
    /// The interface is switched off; `kind` is the kernel's word for what it is.
    case down(interface: String, kind: String)
    /// The interface may only listen.
    case listenOnly(interface: String)
    /// The controller has left the bus after too many errors.
    case busOff(interface: String)
    /// The interface was switched off while it was used.
    case wentDown(interface: String)
    /// The interface was taken away while it was used.
    case removed(interface: String)
    /// Frames wait to be sent and nobody acknowledges any.
    case notAcknowledged(interface: String)

    /// The fault in words.
    public var words: FaultWords {
        switch self {
        case .noSupport:
            FaultWords(
                .device, "this kernel has no support for CAN",
                remedy: "sudo modprobe can_raw; or use an slcan adapter: -d slcan:/dev/ttyACM0")
        case .notFound(let interface):
            FaultWords(
                .device, "there is no CAN interface \(interface)",
                remedy: "ip -details link show type can lists them")
        case .notCAN(let interface):
            FaultWords(
                .device, "\(interface) is not a CAN interface",
                remedy: "ip -details link show type can lists them", category: .usage)
        case .down(let interface, let kind):
            FaultWords(
                .device, "\(interface) is down",
                remedy: kind == "vcan"
                    ? "sudo ip link set \(interface) up"
                    : "sudo ip link set \(interface) type can bitrate 500000; "
                        + "sudo ip link set \(interface) up")
        case .listenOnly(let interface):
            FaultWords(
                .device, "\(interface) only listens, so no vehicle can be asked",
                remedy: "sudo ip link set \(interface) down; "
                    + "sudo ip link set \(interface) type can listen-only off; "
                    + "sudo ip link set \(interface) up")
        case .busOff(let interface):
            FaultWords(
                .link, "\(interface) left the bus after too many errors (bus-off)",
                remedy: "check rate and wiring, then: sudo ip link set \(interface) down; "
                    + "sudo ip link set \(interface) up")
        case .wentDown(let interface):
            FaultWords(
                .link, "\(interface) went down", remedy: "sudo ip link set \(interface) up",
                category: .lost)
        case .removed(let interface):
            FaultWords(
                .link, "\(interface) is gone", remedy: "plug the adapter in again",
                category: .lost)
        case .notAcknowledged(let interface):
            FaultWords(
                .link, "\(interface): no ECU on the bus acknowledges what is sent",
                remedy: "turn the ignition on; check the bus's rate and the wiring",
                category: .lost)
        }
    }
}

extension AccessoryError {
    /// A fault of a CAN interface.
    public static func can(_ fault: CANInterfaceFault) -> AccessoryError { AccessoryError(fault) }
}
