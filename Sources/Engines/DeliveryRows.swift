import Formats
import OBDCore
import Publishing
import TripStore

package enum DeliveryRows {
    /// The delivered trips of a sink; a broker without history has no backlog, and a sink that gets no readings
    /// only a number of trips.
    package static let sink = RowShape<PublishStatus.Line>(
        "sink",
        [
            Field("sink") { .text($0.sink.name) },
            Field("to") { .text($0.sink.target) },
            Field("active") { .flag($0.sink.isActive) },
            Field("waiting") { .integer($0.getsReadings ? $0.backlog?.readings : nil) },
            Field("waitingTrips") { .integer($0.backlog?.trips) },
            Field("oldest") { .time($0.backlog?.oldest) },
            Field("acknowledged") { .time($0.sink.acknowledged) },
            Field("refused") { .integer($0.sink.refused) },
            Field("error") { .text($0.sink.fault) },
            Field("errorTime") { .time($0.sink.faultTime) },
        ])

    /// The result of a run for a sink.
    package static let published = RowShape<(sink: String, to: String, report: SinkReport)>(
        "published",
        [
            Field("sink", "SINK", style: .bold) { .text($0.sink) },
            Field("to") { .text($0.to) },
            Field("delivered", "DELIVERED", .right) { .integer($0.report.delivered) },
            Field("refused", "REFUSED", .right) { .integer($0.report.refused) },
            Field("held", "HELD", .right) { .integer($0.report.held.count) },
            Field("complete", "COMPLETE") { .flag($0.report.end == .drained) },
            Field("error", "ERROR", missing: "") { .text($0.report.fault) },
        ])

    /// A line that a sink refused.
    package static let refusal = RowShape<(sink: String, refusal: DeliveryStore.Refusal)>(
        "refusal",
        [
            Field("sink", "SINK", style: .bold) { .text($0.sink) },
            Field("time", "TIME") { .time($0.refusal.time) },
            Field("trip", "TRIP", .right) { .integer($0.refusal.key.trip) },
            Field("reason", "REASON") { .text($0.refusal.reason) },
            Field("line", "LINE") {
                .text(String(decoding: $0.refusal.payload, as: UTF8.self))
            },
        ])

    /// The counts of a vehicle on a server.
    package static let check = RowShape<(sink: String, count: LineCheck.Count)>(
        "publishCheck",
        [
            Field("sink", "SINK", style: .bold) { .text($0.sink) },
            Field("vehicle", "VEHICLE") { .text($0.count.vehicle) },
            Field("delivered", "DELIVERED", .right) { .integer($0.count.delivered) },
            Field("found", "FOUND", .right) { .integer($0.count.found) },
        ])
}
