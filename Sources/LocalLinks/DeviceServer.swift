import Accessory
import Glibc
import OBDCore
import Simulator
import Synchronization
import SystemIO

/// A device that serves several connections, one after another.
public final class SharedDevice<Device: ServedDevice>: Sendable {
    private let device: Mutex<Device>

    /// Wraps a device that is switched on.
    public init(_ device: Device) {
        self.device = Mutex(device)
    }

    /// The bytes to write now, the time of the next check, and whether the device then closes the link.
    public func due(at now: Instant) -> (bytes: [UInt8], next: Instant?, end: LinkEnd?) {
        device.withLock { device in
            let bytes = device.due(at: now)
            return (bytes, device.nextDeadline, device.takeEnd())
        }
    }

    /// Reports that a host has connected.
    func connect(at now: Instant) { device.withLock { $0.connect(at: now) } }

    /// Takes bytes from the host.
    public func receive(_ bytes: [UInt8], at now: Instant) {
        device.withLock { $0.receive(bytes, at: now) }
    }

    /// Reads from the device.
    public func look<Seen: Sendable>(_ at: @Sendable (Device) -> Seen) -> Seen {
        device.withLock { at($0) }
    }
}

/// Why serving ended.
public enum ServingEnd: Hashable, Sendable {
    /// The `stop` descriptor became readable.
    case stopped
    /// The host closed the link.
    case hostGone
    /// The device closed the link.
    case deviceGone
}

/// Serves `device` on an open link until the host disconnects or `stop` becomes readable.
///
/// `afterwards` is called after each batch of bytes from the host.
public func serve<Device: ServedDevice>(
    _ device: SharedDevice<Device>, on session: inout DescriptorSession, stop: Int32,
    afterwards: () -> Void = {}
) throws(SystemError) -> ServingEnd {
    var set = PollSet()
    device.connect(at: SystemClock.now())
    // Output from before the connection is lost.
    var deadline = device.due(at: SystemClock.now()).next
    while true {
        // While the host does not read, output stays in the device, which limits its amount.
        let retry = session.retryTime
        let waiting = session.wantsToWrite || retry != nil
        set.removeAll()
        let link = set.add(session.descriptor, reading: true, writing: session.wantsToWrite)
        let flag = set.add(stop)
        try set.wait(until: waiting ? retry : deadline)
        if set.isReadable(flag) { return .stopped }
        do throws(AccessoryError) {
            let isDue = retry.map { $0 <= SystemClock.now() } ?? false
            if waiting, set.isWritable(link) || isDue { try session.flush() }
            if set.isReadable(link) {
                let bytes = try session.receive()
                device.receive(bytes, at: SystemClock.now())
                afterwards()
            }
            if !session.wantsToWrite, session.retryTime == nil {
                let due = device.due(at: SystemClock.now())
                deadline = due.next
                if !due.bytes.isEmpty { try session.write(due.bytes) }
                switch due.end {
                case .closed: return .deviceGone
                // A pty cannot close one direction only, so it is closed completely.
                case .halfClosed where shutdown(session.descriptor, Int32(SHUT_WR)) != 0:
                    return .deviceGone
                case .halfClosed, nil: break
                }
            }
        } catch {
            return .hostGone
        }
    }
}
