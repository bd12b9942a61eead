import SystemIO
import TripRecorder

/// The trips that a live view records, with the messages about them.
package struct LiveTrip: Sendable {
    package let trips: TripSwitch
    let notices: LiveNotices

    package init(trips: TripSwitch, notices: LiveNotices) {
        self.trips = trips
        self.notices = notices
    }

    /// The state of the trip for the view; nil = no trip is being recorded.
    var shown: LiveModel.Recording? {
        guard let progress = trips.progress, let trip = progress.trip, let since = progress.since
        else { return nil }
        return .init(
            trip: trip, since: String(localTime(since).suffix(8).prefix(5)),
            readings: progress.readings)
    }
}
