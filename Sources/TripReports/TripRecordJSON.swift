import OBDCore
import TripExport
import TripStore

/// The objects of what stands in a trip besides decoded data.
public enum TripRecordJSON {
    /// The promised object of a trip.
    public static func object(of trip: TripSummary) -> JSONObject {
        var object = JSONObject()
        object.add("kind", "trip")
        object.add("id", Int(trip.id))
        object.add("vin", trip.vin)
        object.add("start", trip.start)
        object.add("end", trip.end)
        object.add("seconds", (trip.seconds * 10).rounded() / 10)
        object.add("distanceKm", trip.distance.map { ($0 * 1000).rounded() / 1000 })
        object.add("readings", trip.readings)
        object.add("open", trip.endReason == nil)
        object.add("tags", trip.tags)
        object.add("name", trip.name)
        object.add("endReason", trip.endReason?.rawValue)
        object.add("movingSeconds", trip.movingSeconds.map(tenth))
        object.add("idleSeconds", trip.idleSeconds.map(tenth))
        object.add("averageSpeedKmh", trip.averageSpeed.map(tenth))
        object.add("hardBrakings", trip.hardBrakings)
        object.add("hardAccelerations", trip.hardAccelerations)
        object.add("speedDistanceKm", trip.driven.map { ($0 * 1000).rounded() / 1000 })
        object.add("odometerStartKm", trip.odometer?.lowerBound)
        object.add("odometerEndKm", trip.odometer?.upperBound)
        return object
    }

    private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// Appends the object of an event, a note, a position or a list of codes.
    public static func append(
        _ record: TripRecord, time: UTC, _ json: inout JSONLines, to output: inout [UInt8]
    ) {
        var object = JSONObject()
        object.add("time", time)
        switch record {
        case .item(let item):
            json.append(item, time: time, to: &output)
            return
        case .note(let text):
            json.appendNote(text, time: time, to: &output)
            return
        case .position(let position):
            object.add("kind", "position")
            object.add("latitude", position.latitude)
            object.add("longitude", position.longitude)
            object.add("altitude", position.altitude)
            object.add("speed", position.speed)
            object.add("course", position.course)
            object.add("accuracy", position.accuracy)
            object.add("fixTime", position.fixTime)
        case .codeList(let ecu, let kind, let codes):
            object.add("ecu", ecu?.description)
            object.add("kind", "codeList")
            object.add("list", kind.rawValue)
            object.add("codes", codes)
        case .event(let event):
            // Refusals and statuses look as they do elsewhere.
            if event.kind == .negativeResponse, let service = event.service,
                let code = event.code.flatMap({ UInt8($0, radix: 16) })
            {
                let refusal = NegativeResponse(service: service, nrc: NRC(code))
                json.append(refusal, ecu: event.ecu, time: time, to: &output)
                return
            }
            if event.kind == .adapterStatus, let status = event.code {
                json.appendAdapterStatus(status, text: event.text, time: time, to: &output)
                return
            }
            object.add("ecu", event.ecu?.description)
            object.add("kind", "event")
            object.add("event", event.kind.rawValue)
            object.add("service", event.service?.description)
            object.add("code", event.code)
            object.add("seconds", event.duration?.seconds)
            object.add("text", event.text)
        }
        object.append(to: &output)
    }
}

extension TripRecord {
    /// Whom it is from; nil for the adapter's and the user's own words.
    public var ecu: ECUAddress? {
        switch self {
        case .item(let item): item.ecu
        case .event(let event): event.ecu
        case .codeList(let ecu, _, _): ecu
        case .note, .position: nil
        }
    }
}
