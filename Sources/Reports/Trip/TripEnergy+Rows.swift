import Formats
import OBDCore
import TripStore

extension TripEnergy {
    /// The keys of the rows, each kind's in their order.
    static let keys = [energyShape.keys, Session.shape.keys]

    /// A charging session of a trip.
    struct Session {
        var trip: TripSummary
        var session: ChargingSession

        var start: UTC { trip.start.later(by: session.from) }
        var end: UTC { trip.start.later(by: session.to) }
    }

    var sessions: [Session] { use.sessions.map { Session(trip: trip, session: $0) } }

    /// The rows of the trip and of its charging sessions.
    package var rows: [Row] {
        [row] + sessions.map { Session.shape.row($0) }
    }

    /// The row of the trip.
    var row: Row { Self.energyShape.row(self) }

    private static let energyShape = RowShape<TripEnergy>("tripEnergy", figures + battery)

    private static let figures: [Field<TripEnergy>] = [
        Field("trip") { .integer($0.trip.id) }, Field("vin") { .text($0.trip.vin) },
        Field("start") { .time($0.trip.start) },
        Field("usedKWh") { .number($0.use.used?.value, places: 3) },
        Field("usedError") { .number($0.use.used?.error, places: 3) },
        Field("method") { .text($0.use.method?.rawValue) },
        Field("dischargedKWh") { .number($0.use.discharged?.value, places: 3) },
        Field("regeneratedKWh") { .number($0.use.regenerated?.value, places: 3) },
        Field("regeneratedShare") { .number($0.use.regeneratedShare?.value, places: 4) },
        Field("regeneratedShareError") { .number($0.use.regeneratedShare?.error, places: 4) },
        Field("distanceKm") { .number($0.use.distance?.value, places: 3) },
        Field("kWhPer100Km") { .number($0.use.per100km?.value, places: 2) },
        Field("kWhPer100KmError") { .number($0.use.per100km?.error, places: 2) },
        Field("chargedKWh") { .number($0.use.charged?.value, places: 3) },
        Field("chargedError") { .number($0.use.charged?.error, places: 3) },
        Field("positive") { .text($0.use.direction?.rawValue) },
        Field("positiveBy") { .text($0.use.evidence?.rawValue) },
        Field("offsetA") { .number($0.use.offset, places: 2) },
        Field("gaps") { .integer($0.use.gapCount) },
        Field("gapSeconds") { .number($0.use.gaps, places: 1) },
        Field("engineRan") { .flag($0.use.engineRan) },
        Field("odometerKm") { .number($0.odometer, places: 1) },
    ]

    private static let battery: [Field<TripEnergy>] = [
        Field("cellSpreadMV") { .number($0.use.cells?.rest, places: 0) },
        Field("cellStepMV") { .number($0.use.cells?.step, places: 0) },
        Field("cellGrade") { .text($0.use.cells?.grade?.rawValue) },
        Field("cellSpreadMVAtNoCurrent") { .number($0.use.cells?.intercept?.value, places: 1) },
        Field("cellSpreadMOhm") { .number($0.use.cells?.slope?.value, places: 3) },
        Field("cellSpreadMOhmError") { .number($0.use.cells?.slope?.error, places: 3) },
        Field("weakestCell") { .integer($0.use.cells?.weakest) },
        Field("lowestCellShare") { .number($0.use.cells?.lowestShare, places: 3) },
        Field("isolationKOhm") { .number($0.use.isolation?.middle, places: 0) },
        Field("isolationLowestKOhm") { .number($0.use.isolation?.lowest, places: 0) },
        Field("isolationGrade") { .text($0.use.isolation?.grade.rawValue) },
        Field("signals") { .words(Set($0.signals.values).sorted()) },
        Field("missing") { energy in
            .objects(
                BatteryUse.Figure.allCases.compactMap { figure in
                    energy.use.missing[figure].map {
                        ["figure": .text(figure.rawValue), "reason": .text($0)]
                    }
                })
        },
    ]

    /// The odometer at the end of the trip; unit: km.
    var odometer: Double? { trip.odometer?.upperBound ?? use.odometer }
}

extension TripEnergy.Session {
    static let shape = RowShape<Self>(
        "chargingSession",
        [
            Field("trip") { .integer($0.trip.id) }, Field("vin") { .text($0.trip.vin) },
            Field("start") { .time($0.start) }, Field("end") { .time($0.end) },
            Field("seconds") { .number($0.session.seconds, places: 1) },
            Field("energyKWh") { .number($0.session.energy?.value, places: 3) },
            Field("energyError") { .number($0.session.energy?.error, places: 3) },
            Field("method") { .text($0.session.method?.rawValue) },
            Field("meanKW") { .number($0.session.meanPower, places: 2) },
            Field("topKW") { .number($0.session.topPower, places: 2) },
            Field("chargeFrom") { .number($0.session.chargeFrom, places: 1) },
            Field("chargeTo") { .number($0.session.chargeTo, places: 1) },
            Field("current") { .text($0.session.current?.rawValue) },
            Field("currentBy") { .text($0.session.reason.rawValue) },
            Field("gapSeconds") { .number($0.session.gaps, places: 1) },
            Field("odometerKm") { .number($0.session.odometer, places: 1) },
            Field("capacityAh") { .number($0.session.share?.charge.value, places: 2) },
            Field("capacityPoints") { .number($0.session.share?.points.value, places: 1) },
            Field("noCapacity") { .text($0.session.noShare?.rawValue) },
            Field("curve") { one in
                .objects(
                    one.session.curve.map { point in
                        [
                            "charge": .integer(point.charge),
                            "kW": .number(point.power, places: 2),
                            "seconds": .number(point.seconds, places: 1),
                        ]
                    })
            },
        ])
}
