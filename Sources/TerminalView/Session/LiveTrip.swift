import TripRecorder

/// The trip that a live view records, with events from other sources.
package struct LiveTrip: Sendable {
    package let recording: TripRecording
    let notices: LiveNotices
    package let marks: MarkSignals

    /// A trip that is being recorded.
    package init(recording: TripRecording, notices: LiveNotices, marks: MarkSignals) {
        self.recording = recording
        self.notices = notices
        self.marks = marks
    }
}
