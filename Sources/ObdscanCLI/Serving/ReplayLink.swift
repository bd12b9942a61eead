import Accessory
import Adapters
import Simulator

/// `replay:`: an adapter that answers from a recording, behind a socket pair.
enum ReplayLink {
    /// The connector for a transcript or a conversation as text.
    static func connector(path: String) throws(Failure) -> Connector {
        let shared = SharedDevice(try adapter(reading: path))
        let name = "replay:" + path
        return .descriptor(name: name) { () throws(AccessoryError) in
            try SimulatorLink.socketPair(to: shared, name: name)
        }
    }

    /// The adapter that answers as the file says.
    static func adapter(reading path: String) throws(Failure) -> ReplayAdapter {
        let bytes = try contents(of: path)
        let adapter: ReplayAdapter
        if Transcript.isTranscript(bytes) {
            do {
                adapter = ReplayAdapter(try Transcript(parsing: bytes))
            } catch {
                throw Failure(
                    "\(path):\(error.line): \(error.reason)",
                    hint: "obdscan-transcript(5) tells how a transcript looks", status: .badData)
            }
        } else {
            adapter = ReplayAdapter(conversation: bytes)
        }
        guard !adapter.isEmpty else {
            throw Failure(
                "\(path): no command and no answer in it",
                hint: "a recording begins with “\(Transcript.magic)”; in a text, lines that begin "
                    + "with > are the commands",
                status: .badData)
        }
        return adapter
    }
}
