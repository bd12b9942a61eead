import Formats
import OBDCore
import TestSupport
import Testing

@testable import Reports
@testable import TripStore

@Suite struct `A logbook` {
    /// A trip of one hour that begins `hours` after 2026-10-31 00:00 UTC.
    private func trip(
        _ id: Int64, hours: Int64, vin: String? = "1HGCM82633A004352", tags: [String] = [],
        odometer: ClosedRange<Double>? = nil, distance: Double? = nil
    ) -> TripSummary {
        var trip = TripSummary(
            id: id, purpose: .log, vin: vin,
            anchor: TimeAnchor(
                monotonic: .zero,
                utc: UTC(microseconds: 1_793_404_800_000_000 + hours * 3_600_000_000)),
            seconds: 3600, distance: distance, readings: 1, endReason: .stopped, tags: tags)
        trip.odometer = odometer
        return trip
    }

    @Test func `a logbook gives a trip a purpose if only one of its tags is a purpose`() {
        let tags = [[], ["business"], ["sea", "Private"], ["commute"], ["business", "private"]]
        let trips = tags.enumerated().map { trip(Int64($0 + 1), hours: Int64($0), tags: $1) }
        let purposes: [Logbook.Purpose?] = [nil, .business, .private, .commute, nil]
        #expect(Logbook(trips, .metric).entries.map(\.purpose) == purposes)
    }

    @Test func `a logbook gives the distance without a recorded trip`() {
        let book = Logbook(
            [
                // The order of the trips does not matter.
                trip(3, hours: 60, odometer: 1_052.5...1_060, distance: 7.5),
                trip(1, hours: 40, odometer: 1_000...1_020.3, distance: 20.3),
                // Whole kilometres: a difference of one is no missing trip.
                trip(2, hours: 50, odometer: 1_021...1_030, distance: 9),
                // The odometer of another vehicle.
                trip(4, hours: 61, vin: "5XXBD1GA8LX000042", odometer: 9_000...9_001),
                trip(5, hours: 70, distance: 3),
            ], .metric)
        #expect(book.entries.map(\.trip.id) == [1, 2, 3, 4, 5])
        #expect(book.entries.map(\.missing) == [nil, nil, 22.5, nil, nil])
        #expect(book.totals.map(\.missing) == [22.5, 0])
        #expect(book.totals.map(\.unknown) == [0, 1])
    }

    @Test func `a logbook marks an odometer that goes back, and continues from the lower value`() {
        let book = Logbook(
            [
                trip(1, hours: 1, odometer: 48_213...48_220, distance: 7),
                trip(2, hours: 3, odometer: 31_000...31_012, distance: 12),
                trip(3, hours: 5, odometer: 31_040...31_050, distance: 10),
                // A second record of the same drive, and a difference of less than a step.
                trip(4, hours: 5, odometer: 31_030...31_050, distance: 20),
                trip(5, hours: 7, odometer: 31_049.5...31_060, distance: 10.5),
            ], .metric)
        #expect(book.entries.map(\.fell) == [nil, 17_220, nil, nil, nil])
        #expect(book.entries.map(\.missing) == [nil, nil, 28, nil, nil])
        let rows = String(decoding: book.csv, as: UTF8.self).split(whereSeparator: \.isNewline)
        #expect(rows.count { $0.contains(",17220,") } == 1)
    }

    @Test func `a logbook counts trips that it does not list as recorded`() {
        let trips = [
            trip(1, hours: 1, tags: ["business"], odometer: 1_000...1_010, distance: 10),
            trip(2, hours: 2, tags: ["private"], odometer: 1_010...1_060, distance: 50),
            trip(3, hours: 3, tags: ["business"], odometer: 1_080...1_090, distance: 10),
        ]
        let book = Logbook(trips, .metric) { $0.tags.contains("business") }
        #expect(book.entries.map(\.trip.id) == [1, 3])
        #expect(book.entries.map(\.missing) == [nil, 20])
        #expect(book.totals.map(\.distance) == [20])
    }

    @Test func `a sheet has headings for people, and the sums on a second sheet`() throws {
        let book = Logbook(
            [
                trip(1, hours: 48, tags: ["business"], odometer: 1_000...1_020, distance: 20.25),
                trip(2, hours: 50, tags: ["private"], distance: 5),
            ], .us)
        let text = String(decoding: book.sheet.bytes, as: UTF8.self)
        for heading in ["Odometer at the start (km)", "Distance (km)", "No purpose (km)", "Hours"] {
            #expect(text.contains(">\(heading)</t>"), "\(heading)")
        }
        #expect(!text.contains("distanceKm") && !text.contains("odometerStartKm"))
        // The sheet of sums: two trips of an hour each, 25.25 km, of which 20.25 and 5 km, in kilometres.
        #expect(text.contains("name=\"Summary\""))
        for cell in [
            "<c r=\"C2\"><v>2.0</v></c>", "r=\"D2\" s=\"6\"><v>2.0<", "r=\"E2\" s=\"5\"><v>25.25<",
            "r=\"F2\" s=\"5\"><v>20.25<", "r=\"G2\" s=\"5\"><v>5.0<", "r=\"I2\" s=\"5\"><v>0.0<",
        ] {
            #expect(text.contains(cell), "\(cell)")
        }
        // The columns of a row belong to the headings.
        #expect(Logbook.columns.count == 13)
        #expect(text.contains("autoFilter ref=\"A1:M3\""))
    }

    @Test func `a logbook ignores the odometer of a trip whose clock was not set`() {
        var unset = trip(2, hours: 2, odometer: 1_500...1_510, distance: 10)
        unset.isClockSet = false
        let book = Logbook(
            [
                trip(1, hours: 1, odometer: 1_000...1_010), unset,
                trip(3, hours: 3, odometer: 1_010...1_020),
            ], .metric)
        #expect(book.entries.map(\.missing) == [nil, nil, nil])
    }

    @Test func `a logbook adds up each month of each vehicle by purpose`() throws {
        let book = Logbook(
            [
                trip(1, hours: 1, tags: ["business"], distance: 10),
                trip(2, hours: 48, tags: ["business"], distance: 20),
                trip(3, hours: 50, tags: ["private"], distance: 5),
                trip(4, hours: 52, distance: 2),
                trip(5, hours: 54, vin: nil, tags: ["commute"], distance: 8),
            ], .metric)
        #expect(book.totals.map(\.month) == ["2026-10", "2026-11", "2026-11"])
        #expect(book.totals.map(\.vin) == ["1HGCM82633A004352", nil, "1HGCM82633A004352"])
        let last = try #require(book.totals.last)
        #expect(last.distances == [.business: 20, .private: 5, nil: 2])
        #expect(last.trips == 3 && last.distance == 27 && last.seconds == 3 * 3600)
        let csv = String(decoding: book.csv, as: UTF8.self)
        let row = try #require(csv.split(whereSeparator: \.isNewline).first { $0.hasPrefix("3,") })
        #expect(row.hasPrefix("3,1HGCM82633A004352,1HGCM82633A004352,2026-11-02T02:00:00"))
        #expect(row.hasSuffix(",5,private,,,,"))
    }
}
