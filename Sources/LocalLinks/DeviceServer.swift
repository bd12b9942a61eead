import Accessory
import Glibc
import OBDCore
import Simulator
import Synchronization
import SystemIO

/// A device that several connections use one after another.
public final class SharedDevice<Device: ServedDevice>: Sendable {
    private let device: Mutex<Device>

    /// Takes a device that is switched on.
    public init(_ device: Device) {
        self.device = Mutex(device)
    }

    /// What is to be written now, when to look again, and whether the device leaves after it.
    public func due(at now: Instant) -> (bytes: [UInt8], next: Instant?, end: LinkEnd?) {
        device.withLock { device in
            let bytes = device.due(at: now)
            return (bytes, device.nextDeadline, device.takeEnd())
        }
    }

    /// Takes bytes from the host.
    public func receive(_ bytes: [UInt8], at now: Instant) {
        device.withLock { $0.receive(bytes, at: now) }
    }

    /// Looks at the device.
    public func look<Seen: Sendable>(_ at: @Sendable (Device) -> Seen) -> Seen {
        device.withLock { at($0) }
    }
}

/// How serving came to its end.
public enum ServingEnd: Hashable, Sendable {
    /// The descriptor to stop by became readable.
    case stopped
    /// The host closed the link.
    case hostGone
    /// The device closed it.
    case deviceGone
}

/// Serves `device` on an open link until the host goes or `stop` becomes readable.
///
/// `afterwards` is called after every batch of bytes from the host.
public func serve<Device: ServedDevice>(
    _ device: SharedDevice<Device>, on session: inout DescriptorSession, stop: Int32,
    afterwards: () -> Void = {}
) throws(SystemError) -> ServingEnd {
    var set = PollSet()
    // What was sent without a listener is lost.
    var deadline = device.due(at: SystemClock.now()).next
    while true {
        // While the host does not read, what is to be said waits in the device, which is bounded.
        let waiting = session.wantsToWrite
        set.removeAll()
        let link = set.add(session.descriptor, reading: true, writing: waiting)
        let flag = set.add(stop)
        try set.wait(until: waiting ? nil : deadline)
        if set.isReadable(flag) { return .stopped }
        do throws(AccessoryError) {
            if waiting, set.isWritable(link) { try session.flush() }
            if set.isReadable(link) {
                let bytes = try session.receive()
                device.receive(bytes, at: SystemClock.now())
                afterwards()
            }
            if !session.wantsToWrite {
                let due = device.due(at: SystemClock.now())
                deadline = due.next
                if !due.bytes.isEmpty { try session.write(due.bytes) }
                switch due.end {
                case .closed: return .deviceGone
                // A pty has no directions of its own: there it is closed as a whole.
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
