import VehicleScan

extension VehicleBoard {
    /// Shows what is recorded.
    ///
    /// The board's lock is not held while `recording` is asked for: the thread that stores a trip waits for this
    /// lock, and threads wait for that thread.
    package func record(_ recording: Recording?) {
        update { $0.recording = recording }
    }
}
