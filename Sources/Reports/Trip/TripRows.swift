import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

extension TripSummary {
    /// The fields of a trip in lists and files, in the units of `form`.
    static func shape(_ form: OutputForm) -> RowShape<TripSummary> {
        let units = form.units
        return RowShape(
            "trip",
            [
                Field("id", "TRIP", .right, cell: { .init($0.number, .bold) }) { .integer($0.id) },
                Field("vin") { .text($0.vin) },
                Field("start", "START", cell: { .init(localTime($0.start)) }) { .time($0.start) },
                Field("end") { .time($0.end) },
                Field("seconds", "DURATION", .right, cell: { .init(durationText($0.seconds)) }) {
                    .number($0.seconds, places: 1)
                },
                Field(
                    "distanceKm", "DISTANCE", .right,
                    cell: { .init($0.distance.map { shown($0, "km", 1, units) } ?? "—") }
                ) { .number($0.distance, places: 3) },
                Field("readings", "READINGS", .right) { .integer($0.readings) },
                Field(heading: "VEHICLE") { .init($0.vehicle ?? "—") },
                Field(heading: "") { trip in
                    let words = [trip.name].compactMap { $0 } + trip.tags.map { "#\($0)" }
                    return .init((words + trip.states).joined(separator: " "))
                },
                Field("open") { .flag($0.endReason == nil) },
                Field("tags") { .words($0.tags) },
                Field("name") { .text($0.name) },
                Field("endReason") { .text($0.endReason?.rawValue) },
                Field("movingSeconds") { .number($0.movingSeconds, places: 1) },
                Field("idleSeconds") { .number($0.idleSeconds, places: 1) },
                Field("averageSpeedKmh") { .number($0.averageSpeed, places: 1) },
                Field("hardBrakings") { .integer($0.hardBrakings) },
                Field("hardAccelerations") { .integer($0.hardAccelerations) },
                Field("speedDistanceKm") { .number($0.driven, places: 3) },
                Field("odometerStartKm") { .number($0.odometer?.lowerBound, places: 1) },
                Field("odometerEndKm") { .number($0.odometer?.upperBound, places: 1) },
                Field("vehicle") { .text($0.vehicle) },
                Field("clock") { .text($0.isClockSet.map { $0 ? "set" : "unset" }) },
            ])
    }

    /// The owner's name for the vehicle, else its VIN; nil if neither is known.
    var vehicle: String? { vehicleName ?? vin }

    package var row: Row { Self.shape(OutputForm(format: .json)).row(self) }
}

/// A metric value in the displayed units.
func shown(_ value: Double, _ unit: String, _ places: Int, _ units: UnitSystem) -> String {
    let conversion = units.conversion(from: unit)
    return fixed(conversion.map { $0(value) } ?? value, places) + " " + (conversion?.unit ?? unit)
}

extension TripRecord {
    /// The row of an event, a note, a position, a list of codes or an item.
    package func row(_ items: ItemRows, time: UTC) -> Row {
        switch self {
        case .item(let item): return items.row(item, time: time)
        case .note(let text):
            return Row("note", ["time": .time(time), "text": .text(text)])
        case .position(let position):
            return Row(
                "position",
                [
                    "time": .time(time), "latitude": .number(position.latitude),
                    "longitude": .number(position.longitude),
                    "altitude": .number(position.altitude), "speed": .number(position.speed),
                    "course": .number(position.course), "accuracy": .number(position.accuracy),
                    "fixTime": .time(position.fixTime),
                ])
        case .codeList(let ecu, let kind, let codes):
            return Row(
                "codeList",
                [
                    "time": .time(time), "ecu": .text(ecu?.description),
                    "status": .text(kind.rawValue), "codes": .integer(codes),
                ])
        case .event(let event):
            // Use the same rows for refusals and statuses as elsewhere.
            if event.kind == .negativeResponse, let service = event.service,
                let code = event.code.flatMap({ UInt8($0, radix: 16) })
            {
                let refusal = NegativeResponse(service: service, nrc: NRC(code))
                return ItemRows.row(refusal, ecu: event.ecu, time: time)
            }
            if event.kind == .adapterStatus, let status = event.code {
                return ItemRows.adapterStatus(status, text: event.text, time: time)
            }
            return Row(
                "event",
                [
                    "time": .time(time), "ecu": .text(event.ecu?.description),
                    "event": .text(event.kind.rawValue),
                    "service": .text(event.service?.description), "code": .text(event.code),
                    "seconds": .number(event.duration?.seconds), "text": .text(event.text),
                ])
        }
    }
}

extension TripRecord {
    /// The ECU that sent it; nil for the adapter's messages and the user's notes.
    package var ecu: ECUAddress? {
        switch self {
        case .item(let item): item.ecu
        case .event(let event): event.ecu
        case .codeList(let ecu, _, _): ecu
        case .note, .position: nil
        }
    }
}
