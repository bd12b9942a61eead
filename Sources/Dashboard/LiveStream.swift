import Accessory
import Formats
import OBDCore
import SystemIO
import VehicleScan
import WebServer

/// The vehicle's current state as server-sent events: `signal`, `reading` and `status`.
///
/// A slow browser misses some readings, but never the newest. The server drops a browser that
/// accepts no data.
package struct LiveStream {
    /// The state to send.
    package let board: VehicleBoard
    /// The units of the server.
    package let units: UnitSystem
    /// The shortest time between two messages with readings.
    package let period: Duration

    /// The longest time without an event, so that a browser knows that the stream is alive.
    private static let heartbeat = Duration.seconds(1)

    /// Sends until the browser or the server ends the stream.
    package func run(_ objects: inout LiveObjects, _ response: WebResponse) throws {
        let changed = try EventDescriptor()
        let watcher = board.watch(changed)
        defer { board.unwatch(watcher) }
        try response.begin(ResponseHead(.ok, "text/event-stream; charset=utf-8"))
        if response.isComplete { return }
        var message: [UInt8] = []
        EventText.append(retryAfter: 2000, to: &message)
        var seen: UInt64 = 0
        var nextStatus = SystemClock.now()
        var nextReadings = nextStatus
        while true {
            let now = SystemClock.now()
            if now >= nextReadings {
                changed.take()
                let (channels, version) = board.channels(since: seen)
                for channel in channels where channel.born > seen {
                    EventText.append("signal", objects.signal(channel, at: now), to: &message)
                }
                for channel in channels {
                    EventText.append("reading", objects.reading(channel), to: &message)
                }
                seen = version
                nextReadings = now + period
            }
            if now >= nextStatus {
                let status = board.status
                EventText.append(
                    "status", LiveObjects.status(status, units, at: status.now), to: &message)
                nextStatus = now + Self.heartbeat
            }
            if !message.isEmpty { try response.append(message) }
            message.removeAll(keepingCapacity: true)
            _ = try response.wait(for: nil, until: min(nextReadings, nextStatus))
            if nextReadings <= nextStatus {
                _ = try response.wait(for: changed.descriptor, until: nextStatus)
            }
        }
    }
}
