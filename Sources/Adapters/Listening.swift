public import OBDCore

/// A dialect that only listens: no request leaves it, and no byte other than a `SilentWrite`.
///
/// A session that listens is one of this type, so that a fault in the dialect inside cannot make it send.
public struct Listening<Inner: AdapterDialect>: AdapterDialect {
    private var inner: Inner

    /// Lets `inner` listen.
    public init(_ inner: Inner) { self.inner = inner }

    /// The protocol string of the dialect inside.
    public var protocolString: String { inner.protocolString }
    /// The capabilities of the link, as far as they are known.
    public var capabilities: LinkCapabilities { inner.capabilities }
    /// The identity of the adapter.
    public var identity: AdapterIdentity { inner.identity }

    /// Whether `request` is known to change nothing.
    public func isReadOnly(_ request: AdapterRequest) -> Bool { inner.isReadOnly(request) }

    /// Limits requests to `bytes`.
    public mutating func limitRequests(to bytes: Int) { inner.limitRequests(to: bytes) }

    /// Sets the adapter up to listen.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        let begin = out.count
        inner.initialise(&out)
        mute(from: begin, &out)
    }

    /// Sends a request to listen, or for the adapter's voltage; refuses every other one.
    public mutating func send(
        _ request: AdapterRequest, isReadOnly: Bool, _ out: inout [DialectOutput]
    ) {
        let begin = out.count
        switch request {
        case .monitor, .action: inner.send(request, isReadOnly: isReadOnly, &out)
        case .vehicle, .command: out.append(.end(.refused))
        }
        mute(from: begin, &out)
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        let begin = out.count
        inner.receive(bytes, &out)
        mute(from: begin, &out)
    }

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        let begin = out.count
        inner.expired(timer, &out)
        mute(from: begin, &out)
    }

    /// Stops the current exchange.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        let begin = out.count
        inner.interrupt(&out)
        mute(from: begin, &out)
    }

    /// Leaves the adapter in a better state.
    public mutating func leave(_ out: inout [DialectOutput]) {
        let begin = out.count
        inner.leave(&out)
        mute(from: begin, &out)
    }

    /// Removes each write that is not known to be silent.
    private func mute(from begin: Int, _ out: inout [DialectOutput]) {
        guard out[begin...].contains(where: { isLoud($0) }) else { return }
        out[begin...].removeAll { isLoud($0) }
    }

    private func isLoud(_ output: DialectOutput) -> Bool {
        guard case .write(let bytes) = output else { return false }
        return SilentWrite(bytes, in: protocolString) == nil
    }
}

/// Bytes to an adapter after which nothing is sent on the bus.
struct SilentWrite: Hashable, Sendable {
    let bytes: [UInt8]

    /// The bytes if they are known to be silent in the dialect with this protocol string; nil otherwise.
    ///
    /// On SocketCAN each write is a frame, so none is silent.
    init?(_ bytes: [UInt8], in protocolString: String) {
        switch protocolString {
        case CANDialect.slcanProtocol: guard Self.isSilentSLCAN(bytes) else { return nil }
        case ELM327Dialect.protocolString: guard Self.isSilentELM(bytes) else { return nil }
        default: return nil
        }
        self.bytes = bytes
    }

    /// Closes the bus, sets its rate, or opens it in listen-only mode, in which an adapter acknowledges nothing.
    private static func isSilentSLCAN(_ bytes: [UInt8]) -> Bool {
        guard bytes.last == 0x0D else { return false }
        return bytes.split(separator: 0x0D).allSatisfy { line in
            switch line.first {
            case UInt8(ascii: "C"), UInt8(ascii: "L"): line.count == 1
            case UInt8(ascii: "S"), UInt8(ascii: "s"):
                line.dropFirst().allSatisfy { Hex.value($0) != nil }
            default: false
            }
        }
    }

    /// A single command to the adapter itself, or the blank that stops it.
    private static func isSilentELM(_ bytes: [UInt8]) -> Bool {
        if bytes == [0x20] || bytes == [0x7F, 0x7F, 0x0D] { return true }
        guard bytes.last == 0x0D, bytes.dropLast().allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return false
        }
        let command = String(
            decoding: AdapterCommand.compact(bytes.dropLast()), as: UTF8.self)
        if plain.contains(command) { return true }
        if command.hasPrefix("ATSP") {
            // 0, or A before the number, would search: that asks the vehicle.
            return command.utf8.count == 5
                && (command.last.flatMap { VehicleProtocol("\($0)") }.map { !$0.family.isLegacy }
                    ?? false)
        }
        return withAddress.contains { prefix in
            command.hasPrefix(prefix)
                && command.dropFirst(prefix.count).utf8.allSatisfy {
                    Hex.value($0) != nil || $0 == UInt8(ascii: ",")
                }
        }
    }

    private static let plain: Set<String> = [
        "ATD", "ATI", "ATZ", "ATE0", "ATL0", "ATS0", "ATH1", "STI", "ATRV", "ATDPN", "ATCAF0",
        "ATCSM1", "ATMA", "STM",
    ]
    private static let withAddress = ["ATCF", "ATCM", "STFPA", "STFAP"]
}
