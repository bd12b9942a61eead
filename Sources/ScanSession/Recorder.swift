import Accessory
import Adapters
import OBDCore
import SystemIO

/// Writes a transcript, each chunk of bytes at once, so that a crash loses nothing.
struct Recorder {
    private let file: FileOutput
    private let start: Instant
    private var line: [UInt8] = []

    init(
        descriptor: Int32, headers: [Transcript.Header], start: Instant
    ) throws(SystemError) {
        file = FileOutput(descriptor: descriptor)
        self.start = start
        try file.write(Transcript.opening(headers))
    }

    /// Writes one chunk.
    mutating func record(
        _ bytes: [UInt8], _ direction: Transcript.Direction, at time: Instant
    ) throws(SystemError) {
        line.removeAll(keepingCapacity: true)
        Transcript.append(
            Transcript.Chunk(time: time - start, direction: direction, bytes: bytes), to: &line)
        try file.write(line)
    }
}
