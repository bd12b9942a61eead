import Diagnostics
import Foundation
import OBDCore
import PIDTables
import Publishing
import SystemIO
import Testing
import TripStore

@testable import Engines

/// A folder with a trip database, which goes with the value.
final class SpoolFolder {
    let path: String
    let table: PIDTable

    init() throws {
        path = NSTemporaryDirectory() + "spool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        table = try PIDTables.standard()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/obdscan.db" }

    func store() throws -> TripStore { try TripStore(path: database, access: .readWrite) }

    func deliveries() throws -> DeliveryStore {
        try DeliveryStore(path: DeliveryStore.path(of: database), access: .readWrite)
    }

    /// Numbers of engine speed, a tenth of a second apart, that begin `ago` before now.
    func readings(_ count: Int, from first: Int = 0) throws -> [DiagnosticItem] {
        var decoder = ResponseDecoder(table: table, monitors: MonitorTables())
        var items: [DiagnosticItem] = []
        for number in first..<first + count {
            let raw = [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
            decoder.decode(
                ECUMessage(ecu: ECUAddress("7E8"), payload: [0x41, 0x0C] + raw),
                in: Exchange(request: [0x01, 0x0C], vehicleProtocol: .can11At500), &items)
        }
        return items
    }

    /// A trip that began `ago`; open until its caller ends it.
    func trip(_ store: TripStore, vin: String?, ago: Duration = .seconds(100)) throws -> TripWriter
    {
        let start = SystemClock.now() + (.zero - ago)
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        return try store.startTrip(
            TripStart(
                anchor: TimeAnchor(monotonic: start, utc: anchor.utc(at: start)),
                vin: vin.flatMap { VIN($0) }),
            table: table)
    }

    /// A trip that ended, with this many readings.
    @discardableResult
    func endedTrip(vin: String?, readings count: Int, ago: Duration = .seconds(100)) throws -> Int64
    {
        let store = try store()
        let trip = try trip(store, vin: vin, ago: ago)
        for (place, item) in try readings(count).enumerated() {
            let time = trip.anchor.monotonic + .milliseconds(place)
            if !trip.offer([item], at: time) {
                try trip.flush()
                _ = trip.offer([item], at: time)
            }
        }
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(50))
        return trip.trip
    }

    /// A trip with a position that the vehicle itself reports, an altitude in the same message, and a speed.
    func tripOfReportedPosition(vin: String) throws {
        var own = PIDTable()
        let place = DataID(.currentData, 0xF3)
        let speed = DataID(.currentData, 0x0D)
        func signal(_ id: String, _ name: String, _ unit: String) -> Signal {
            Signal(id: id, name: name, bitOffset: 0, bitLength: 32, kind: .number, unit: unit)
        }
        own.add(
            place, name: "place", length: 1...20,
            signals: [
                signal("NORTH", "Latitude", "°"), signal("EAST", "Longitude", "°"),
                signal("ALT", "Altitude", "m"),
            ])
        own.add(speed, name: "speed", length: 1...1, signals: [signal("VSS", "Speed", "km/h")])
        let start = SystemClock.now() + (.zero - .seconds(100))
        let utc = SystemClock.utc
        let trip = try store().startTrip(
            TripStart(
                anchor: TimeAnchor(
                    monotonic: start,
                    utc: TimeAnchor(monotonic: SystemClock.now(), utc: utc).utc(at: start)),
                vin: VIN(vin)), table: own)
        let values = [(0, 48.137154), (1, 11.576124), (2, 520), (3, 50)] as [(Int32, Double)]
        let items = values.map { index, value in
            DiagnosticItem.reading(
                Reading(
                    ecu: ECUAddress("7E8"), dataID: index < 3 ? place : speed,
                    signal: SignalIndex(rawValue: index), value: .number(value),
                    raw: [0x48, 0x13], line: 0))
        }
        #expect(trip.offer(items, at: start + .seconds(1)))
        try trip.end(.stopped, at: start + .seconds(3))
    }

    func feed(_ selection: SinkSelection, limit: Int = 100) throws -> SinkFeed {
        let deliveries = try deliveries()
        try deliveries.claim("sink", target: "influx+http://localhost")
        return try SinkFeed(
            database: database, deliveries: deliveries, sink: "sink", selection: selection,
            limit: limit)
    }
}

@Suite("The records that a sink gets")
struct SinkFeedTests {
    private static let vin = "5XXBD1GA8LX000042"

    private func lines(_ feed: SinkFeed) throws -> [String] {
        try feed.refresh(now: SystemClock.utc)
        var found: [String] = []
        while let batch = try feed.next() {
            found += String(decoding: batch.lines, as: UTF8.self).split(separator: "\n")
                .map(String.init)
        }
        return found
    }

    @Test(
        "Each record arrives once and in order, whatever the size of a batch",
        arguments: [1, 7, 1000])
    func order(limit: Int) throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 50)
        let feed = try folder.feed(SinkSelection(), limit: limit)
        let lines = try lines(feed)
        // The last line is the duration of the trip.
        #expect(lines.count == 51 && Set(lines).count == 51)
        let times = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(times == times.sorted() && times.count == 51)
        #expect(try self.lines(feed).isEmpty)
    }

    @Test("Acknowledged records are not sent again, others are repeated unchanged")
    func resume() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 30)
        let first = try folder.feed(SinkSelection(), limit: 10)
        try first.refresh(now: SystemClock.utc)
        let one = try #require(try first.next())
        let two = try #require(try first.next())
        try folder.deliveries().acknowledge(
            one.key, one.table, one.cursor, by: "sink", at: SystemClock.utc)
        // Killed here: the second batch was sent, and its answer is lost.
        let second = try folder.feed(SinkSelection(), limit: 10)
        try second.refresh(now: SystemClock.utc)
        #expect(try #require(try second.next()).lines == two.lines)
    }

    @Test("A trip stays open for each sink that has only a part of the trip")
    func owed() throws {
        let folder = try SpoolFolder()
        let trip = try folder.endedTrip(vin: Self.vin, readings: 3)
        let store = try folder.store()
        // It waits for its first delivery.
        #expect(try store.undelivered(to: ["sink"]) == [trip: ["sink"]])
        let feed = try folder.feed(SinkSelection())
        #expect(try store.undelivered(to: ["other", "sink"]) == [trip: ["other", "sink"]])
        #expect(try store.undelivered(to: []).isEmpty)
        try feed.refresh(now: SystemClock.utc)
        let all = try #require(try feed.next())
        #expect(all.lines.split(separator: 0x0A).count == 3)
        try folder.deliveries().acknowledge(
            all.key, all.table, all.cursor, by: "sink", at: SystemClock.utc)
        // Killed here: every reading arrived, but codes may follow.
        #expect(try store.undelivered(to: ["sink"]) == [trip: ["sink"]])
        try folder.deliveries().settle(all.key, readings: 3, for: "sink")
        #expect(try store.undelivered(to: ["other", "sink"]) == [trip: ["other"]])
    }

    @Test("A trip waits for its late VIN, and all of its lines have the VIN")
    func lateVIN() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: nil)
        #expect(trip.offer(try folder.readings(5), at: trip.anchor.monotonic))
        try trip.flush()
        let feed = try folder.feed(SinkSelection())
        #expect(try lines(feed).isEmpty)
        #expect(feed.held.withoutVIN == 1)
        #expect(
            trip.offer(
                .vehicle(try #require(VIN(Self.vin))), at: trip.anchor.monotonic + .seconds(1)))
        #expect(
            trip.offer(try folder.readings(5, from: 5), at: trip.anchor.monotonic + .seconds(2)))
        try trip.flush()
        let lines = try lines(feed)
        #expect(lines.count == 10)
        #expect(
            lines.allSatisfy {
                $0.hasPrefix("obd,vehicle=5xxbd1ga8lx000042,vin=5XXBD1GA8LX000042,")
            })
        #expect(feed.held == HeldTrips())
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(3))
    }

    @Test(
        "A name with the VIN waits for the VIN",
        arguments: [
            ("%VIN", "5xxbd1ga8lx000042"), ("car-%VIN", "car-5xxbd1ga8lx000042"), ("golf", "golf"),
        ])
    func markers(id: String, vehicle: String) throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 1)
        var selection = SinkSelection()
        selection.id = id
        selection.tags = [("car", "x-%VIN")]
        let line = try #require(try lines(try folder.feed(selection)).first)
        #expect(line.hasPrefix("obd,vehicle=\(vehicle),vin=\(Self.vin),car=x-\(Self.vin),ecu="))
    }

    @Test("A trip without a VIN gets no name that needs the VIN")
    func noVIN() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: nil, readings: 1)
        var selection = SinkSelection()
        selection.id = "%VIN"
        let feed = try folder.feed(selection)
        #expect(try lines(feed).isEmpty)
        #expect(feed.held.withoutName == 1)
    }

    @Test("A trip that ended before its first reading is not held back")
    func empty() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: nil, readings: 0)
        let feed = try folder.feed(SinkSelection())
        #expect(try lines(feed).isEmpty)
        #expect(feed.held == HeldTrips())
    }

    @Test("A trip with an unset clock is held back, unless the user requests it")
    func clock() throws {
        let folder = try SpoolFolder()
        let years = Duration.seconds(20 * 365 * 86_400)
        let trip = try folder.endedTrip(vin: Self.vin, readings: 3, ago: years)
        let feed = try folder.feed(SinkSelection())
        #expect(try lines(feed).isEmpty)
        #expect(feed.held.withoutClock == 1)
        var selection = SinkSelection()
        selection.trips = [trip]
        #expect(try lines(try folder.feed(selection)).count { $0.hasPrefix("obd,") } == 3)
    }

    @Test("A trip of a clock that was not set is delivered after its correction")
    func unsetClock() throws {
        let folder = try SpoolFolder()
        let reading = SystemClock.reading()
        var unset = reading
        unset.bootTime = UTC(microseconds: reading.bootTime.microseconds - 86_400_000_000)
        unset.isSet = false
        let store = try TripStore(path: folder.database, clock: { [unset] in unset })
        let trip = try folder.trip(store, vin: Self.vin, ago: .seconds(86_500))
        #expect(trip.offer(try folder.readings(3), at: trip.anchor.monotonic))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(50))
        let feed = try folder.feed(SinkSelection())
        #expect(try lines(feed).isEmpty)
        #expect(feed.held.withoutClock == 1)
        var later = reading
        later.isSet = true
        #expect(try store.settleClocks(by: later).count == 1)
        #expect(try lines(feed).count { $0.hasPrefix("obd,") } == 3 && feed.held == HeldTrips())
    }

    @Test("A trip deleted before its delivery is skipped, and the next one is delivered")
    func deleted() throws {
        let folder = try SpoolFolder()
        let gone = try folder.endedTrip(vin: Self.vin, readings: 20)
        try folder.endedTrip(vin: Self.vin, readings: 3, ago: .seconds(40))
        let feed = try folder.feed(SinkSelection(), limit: 10)
        try feed.refresh(now: SystemClock.utc)
        #expect(try #require(try feed.next()).count == 10)
        try folder.store().deleteTrips([gone])
        #expect(try lines(feed).count { $0.hasPrefix("obd,") } == 3)
    }

    @Test("One name for several vehicles is reported; a name per VIN or for one trip is not")
    func oneName() throws {
        let folder = try SpoolFolder()
        let one = try folder.endedTrip(vin: Self.vin, readings: 3, ago: .seconds(900))
        try folder.endedTrip(vin: "1HGCM82633A004352", readings: 3, ago: .seconds(800))
        try folder.endedTrip(vin: nil, readings: 3, ago: .seconds(700))
        let trips = try folder.store().trips(.init(withScans: true))
        var selection = SinkSelection()
        #expect(selection.vehiclesOfOneName(in: trips) == nil)
        selection.id = "%VIN"
        #expect(selection.vehiclesOfOneName(in: trips) == nil)
        selection.id = "golf"
        #expect(
            selection.vehiclesOfOneName(in: trips)?.vehicles == ["1HGCM82633A004352", Self.vin])
        selection.trips = [one]
        #expect(selection.vehiclesOfOneName(in: trips) == nil)
    }

    @Test("Vehicle names that become equal at the sink are reported")
    func similarNames() throws {
        let folder = try SpoolFolder()
        let vins = [Self.vin, "1HGCM82633A004352"]
        for vin in vins { try folder.endedTrip(vin: vin, readings: 3, ago: .seconds(900)) }
        let store = try folder.store()
        for (vin, name) in zip(vins, ["Müller", "Möller"]) {
            #expect(try store.setName(name, ofVehicle: vin) == .named)
        }
        let trips = try store.trips(.init(withScans: true))
        let found = try #require(SinkSelection().vehiclesOfOneName(in: trips))
        #expect(found.name == "m-ller")
        #expect(found.vehicles == vins.sorted())
    }

    /// The reader keeps the signals of a trip while no process writes.
    @Test("A signal that a trip gets later is delivered, too")
    func newSignal() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin)
        #expect(trip.offer(try folder.readings(3), at: trip.anchor.monotonic))
        try trip.flush()
        let feed = try folder.feed(SinkSelection(), limit: 2)
        #expect(try lines(feed).count == 3)
        var decoder = ResponseDecoder(table: folder.table, monitors: MonitorTables())
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: ECUAddress("7E9"), payload: [0x41, 0x0D, 0x50]),
            in: Exchange(request: [0x01, 0x0D], vehicleProtocol: .can11At500), &items)
        #expect(trip.offer(items, at: trip.anchor.monotonic + .seconds(1)))
        try trip.flush()
        let later = try lines(feed)
        #expect(later.count == 1 && later[0].contains("ecu=7E9,signal=VSS,unit=km/h value=80 "))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(50))
    }

    /// A state needs only the end of a trip: searching all of the trip each second would take longer.
    @Test(
        "The newest readings come first, with late readings included",
        arguments: [
            (Int64.min, [30, 20, 15, 1]), (1_000_000, [30, 20, 15, 1]), (1_000_001, [30, 20, 15]),
            (15_000_000, [30, 20, 15]), (30_000_000, [30]), (30_000_001, []),
        ] as [(Int64, [Int64])])
    func newest(since: Int64, seconds: [Int64]) throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin)
        for (number, second) in [20, 1, 30, 15].enumerated() {
            let item = try folder.readings(1, from: number)
            #expect(trip.offer(item, at: trip.anchor.monotonic + .seconds(second)))
            try trip.flush()
        }
        for limit in 1...4 {
            var found: [Int64] = []
            try TripTailReader(store).readNewest(ofTrip: trip.trip, since: since) { table in
                #expect(table.signals.map(\.id) == ["RPM"])
            } take: { time, _ in
                found.append((time.microseconds - trip.anchor.utc.microseconds) / 1_000_000)
                return found.count < limit
            }
            #expect(found == Array(seconds.prefix(limit)))
        }
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(50))
    }

    @Test("A position of the vehicle itself is sent only if the user wants positions")
    func reportedPosition() throws {
        let folder = try SpoolFolder()
        try folder.tripOfReportedPosition(vin: Self.vin)
        func signals(_ hasPosition: Bool, named names: Set<String>? = nil) throws -> [String] {
            var selection = SinkSelection()
            selection.hasPosition = hasPosition
            selection.signals = names
            return try lines(try folder.feed(selection)).compactMap { line in
                line.hasPrefix("obd,")
                    ? line.split(separator: ",").first { $0.hasPrefix("signal=") }
                        .map { String($0.dropFirst(7)) } : nil
            }
        }
        #expect(try signals(false) == ["ALT", "VSS"])
        _ = try folder.deliveries().forget("sink")
        #expect(try signals(true) == ["NORTH", "EAST", "ALT", "VSS"])
        _ = try folder.deliveries().forget("sink")
        #expect(try signals(false, named: ["north", "vss"]) == ["VSS"])
    }

    @Test("Traccar gets only positions")
    func traccar() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin)
        #expect(trip.offer(try folder.readings(5), at: trip.anchor.monotonic))
        let position = try #require(Position(latitude: 48, longitude: 11))
        #expect(trip.offer(.position(position), at: trip.anchor.monotonic + .seconds(1)))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(3))
        var selection = SinkSelection()
        selection.isForTraccar = true
        let lines = try lines(try folder.feed(selection))
        #expect(lines.count == 1 && lines[0].hasPrefix("id=5xxbd1ga8lx000042&timestamp="))
    }

    @Test(
        "A vehicle has the name in the database, else the name in the configuration",
        arguments: [(nil, "van-7"), ("Berta", "berta")] as [(String?, String)])
    func names(own: String?, published: String) throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        if let own { #expect(try folder.store().setName(own, ofVehicle: Self.vin) == .named) }
        var selection = SinkSelection()
        selection.vehicles = [Self.vin: "Van 7"]
        let lines = try lines(try folder.feed(selection))
        #expect(!lines.isEmpty)
        #expect(
            lines.allSatisfy { $0.contains(",vehicle=\(published),vin=\(Self.vin),") }, "\(lines)")
    }

    @Test("A trip that has ended has its totals, once and at its end")
    func totals() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin)
        #expect(trip.offer(try folder.readings(3), at: trip.anchor.monotonic))
        try trip.flush()
        var selection = SinkSelection()
        selection.tags = [("fleet", "north")]
        selection.id = "golf"
        let feed = try folder.feed(selection)
        #expect(try lines(feed).count == 3)
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(50))
        let totals = try lines(feed)
        let end = try store.trip(trip.trip).end.microseconds
        let head = "obd_trip,vehicle=golf,vin=\(Self.vin),fleet=north,quantity="
        #expect(totals.allSatisfy { $0.hasPrefix(head) && $0.hasSuffix(" \(end)000") }, "\(totals)")
        #expect(totals.contains { $0.hasPrefix(head + "duration,unit=s value=") }, "\(totals)")
        #expect(try lines(feed).isEmpty)
        // A feed that begins again repeats them.
        let again = try lines(try folder.feed(selection))
        #expect(again.count == 3 + totals.count && Array(again.suffix(totals.count)) == totals)
    }

    @Test(
        "A webhook gets new codes, a low battery and the end of a trip, and after a restart the same"
    )
    func events() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin, ago: .seconds(1000))
        let start = trip.anchor.monotonic
        func read(_ codes: [String], after seconds: Int) throws {
            let items = try codes.map { text in
                DiagnosticItem.code(
                    CodeReport(
                        ecu: ECUAddress("7E8"), kind: .stored, code: .dtc(try #require(DTC(text))),
                        line: 0))
            }
            let time = start + .seconds(seconds)
            if !items.isEmpty { #expect(trip.offer(items, at: time)) }
            #expect(trip.offer(.codeList(ECUAddress("7E8"), .stored, codes: items.count), at: time))
        }
        try read(["P0301"], after: 1)
        try read(["P0301", "P0420"], after: 2)
        try read([], after: 3)
        try read(["P0301"], after: 4)
        for (place, volts) in [12.6, 9.1, 12.6, 11.7, 11.6, 11.5, 11.4].enumerated() {
            #expect(trip.offer(.voltage(volts), at: start + .seconds(100 + 30 * place)))
        }
        try trip.end(.stopped, at: start + .seconds(600))
        var selection = SinkSelection()
        selection.isForWebhook = true
        selection.id = "golf"
        var runs: [[String]] = []
        for limit in [1, 2, 1000] {
            runs.append(try lines(try folder.feed(selection, limit: limit)))
        }
        #expect(runs[0] == runs[1] && runs[1] == runs[2])
        let objects = try runs[0].map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            objects.allSatisfy {
                $0["vehicle"] as? String == "golf" && $0["vin"] as? String == Self.vin
            })
        func seconds(_ object: [String: Any]) throws -> Int64 {
            let text = try #require(object["time"] as? String)
            let time = try #require(UTC(text))
            return (time.microseconds - trip.anchor.utc.microseconds) / 1_000_000
        }
        #expect(
            try objects.map { try "\($0["kind"] ?? "") \($0["code"] ?? "") \(seconds($0))" } == [
                "lowBattery  250", "code P0301 1", "code P0420 2", "code P0301 4", "trip  600",
            ], "\(runs[0])")
        #expect(objects[0]["voltage"] as? Double == 11.5)
        #expect(objects[4]["fuel"] is NSNull && objects[4]["seconds"] as? Double == 600)
        // A process that was killed after the first events goes on as if it had not been.
        let first = try folder.feed(selection, limit: 4)
        try first.refresh(now: SystemClock.utc)
        let deliveries = try folder.deliveries()
        var sent: [String] = []
        for _ in 0..<2 {
            let batch = try #require(try first.next())
            try deliveries.acknowledge(
                batch.key, batch.table, batch.cursor, refused: [], by: "sink", at: SystemClock.utc)
            sent += String(decoding: batch.lines, as: UTF8.self).split(separator: "\n").map(
                String.init)
        }
        #expect(try sent + lines(try folder.feed(selection, limit: 4)) == runs[0])
    }

    @Test("A dead process's claim on the file of cursors is ignored")
    func claims() throws {
        let folder = try SpoolFolder()
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "a")
        try deliveries.claim("sink", target: "b")
        #expect(try deliveries.sinks().map(\.target) == ["b"])
    }
}

@Suite("Messages to a broker about vehicles")
struct VehicleMessageTests {
    private static let vin = "5XXBD1GA8LX000042"

    private func sink(_ folder: SpoolFolder, _ selection: SinkSelection = SinkSelection()) throws
        -> MQTTSink
    {
        var sink = MQTTSink(
            name: "sink", address: try SinkAddress("mqtt://localhost"), selection: selection,
            client: "obdscan-pi-home", version: "1", database: folder.database, drains: true)
        sink.discoveryPrefix = "homeassistant"
        return sink
    }

    private func messages(_ sink: MQTTSink, _ folder: SpoolFolder) throws -> (
        [BrokerMessage], removed: [String]
    ) {
        let store = try folder.store()
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "mqtt://localhost")
        var messages = VehicleMessages(sink)
        var board = StateBoard(every: .seconds(5))
        try messages.feed.refresh(store, &board, now: SystemClock.utc)
        let removed = try messages.removed(from: store, deliveries)
        return (try messages.next(store, deliveries, now: SystemClock.utc), removed)
    }

    @Test("A preview shows the topics for a broker and stores nothing")
    func preview() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        var sink = try sink(folder)
        sink.history = .lines
        var topics: [String] = []
        try MQTTPreview(sink).forEach { topic, _ in topics.append(topic) }
        let vehicle = "5xxbd1ga8lx000042"
        #expect(
            topics == [
                "obdscan/\(vehicle)/availability", "homeassistant/device/obdscan_\(vehicle)/config",
                "obdscan/\(vehicle)/trip", "obdscan/\(vehicle)/codes", "obdscan/\(vehicle)/7e8/rpm",
                "obdscan/\(vehicle)/readings", "obdscan/\(vehicle)/readings",
                "obdscan/\(vehicle)/readings", "obdscan/\(vehicle)/readings",
            ])
        #expect(!Files.exists(DeliveryStore.path(of: folder.database)))
    }

    @Test("After a change of name the vehicle's old topics are removed")
    func renamed() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        var selection = SinkSelection()
        selection.id = "golf"
        var (sent, removed) = try messages(try sink(folder, selection), folder)
        #expect(sent.contains { $0.topic == "obdscan/golf/codes" } && removed.isEmpty)
        selection.id = "polo"
        let renamed = try sink(folder, selection)
        (sent, removed) = try messages(renamed, folder)
        #expect(sent.contains { $0.topic == "obdscan/polo/codes" } && removed == ["golf"])
        let removal = try VehicleMessages(renamed).removal(of: "golf", folder.deliveries())
        #expect(removal.allSatisfy { $0.payload.isEmpty && $0.isRetained && $0.quality == 1 })
        let topics = Set(removal.map(\.topic))
        #expect(
            topics.isSuperset(of: [
                "homeassistant/device/obdscan_golf/config", "obdscan/golf/7e8/rpm",
                "obdscan/golf/codes", "obdscan/golf/trip", "obdscan/golf/availability",
            ]))
    }

    @Test("A vehicle without trips stays while the database knows it")
    func kept() throws {
        let folder = try SpoolFolder()
        let trip = try folder.endedTrip(vin: Self.vin, readings: 3)
        try folder.endedTrip(vin: "WVWZZZ1KZAW000001", readings: 3)
        #expect(try messages(try sink(folder), folder).removed.isEmpty)
        try folder.store().deleteTrips([trip])
        #expect(try messages(try sink(folder), folder).removed.isEmpty)
    }
}

@Suite("The button that reads codes")
struct CodeButtonTests {
    @Test("Codes are read once a minute, and never while a trip is recorded")
    func presses() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: "5XXBD1GA8LX000042")
        let wake = try EventDescriptor()
        let button = CodeButton(readCodes: { "codes were read at \($0)" }, wake: wake)
        let now = SystemClock.now()
        // Another vehicle's trip is open: its recorder may use the same adapter.
        func press(_ trips: [TripSummary], _ time: Instant) -> String? {
            button.readCodes(of: "golf", latest: trips, now: time) {
                ((try? store.trips()) ?? []).contains { $0.endReason == nil }
            }
        }
        var trips: [TripSummary] = []
        #expect(press(trips, now) == "the codes of golf are not read while a trip is recorded")
        try trip.end(.stopped, at: now)
        trips = try store.trips()
        #expect(press(trips, now) == "the codes of golf are not read: its adapter is not known")
        trips[0].accessory = "sim:"
        #expect(press(trips, now) == nil)
        var list = WaitList()
        _ = list.add(wake.descriptor)
        list.add(deadline: SystemClock.now() + .seconds(20))
        list.wait()
        #expect(button.takeResult() == "golf: codes were read at sim:")
        #expect(button.takeResult() == nil)
        #expect(
            press(trips, now + .seconds(59))
                == "the codes of golf are not read more than once a minute")
        #expect(press(trips, now + .seconds(61)) == nil)
    }
}
