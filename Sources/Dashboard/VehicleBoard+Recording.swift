import VehicleScan

extension VehicleBoard {
    /// Shows what is recorded.
    ///
    /// A fault of storing belongs to one trip, so that it goes with this trip, and stays as long as nothing begins
    /// or ends. The board's lock is not held while `recording` is asked for: the thread that stores a trip waits
    /// for this lock, and threads wait for that thread.
    package func record(_ recording: Recording?) {
        update {
            if recording == nil || $0.recording?.trip != recording?.trip { $0.storing = nil }
            $0.recording = recording
        }
    }
}
