import Accessory
import Adapters
import Simulator

/// `replay:`: an adapter that answers from a recording, connected by a socket pair.
public enum ReplayLink {
    /// The connector for a transcript or a conversation in text form.
    public static func connector(path: String) throws(LocalLinkFault) -> Connector {
        let adapter = try adapter(reading: path)
        let shared = SharedDevice(adapter)
        let name = "replay:" + path
        return .descriptor(name: name, protocols: adapter.protocols) { () throws(AccessoryError) in
            try SimulatorLink.socketPair(to: shared, name: name)
        }
    }

    /// The adapter that answers from the file.
    public static func adapter(reading path: String) throws(LocalLinkFault) -> ReplayAdapter {
        let bytes = try LocalLinkFault.contents(of: path)
        let adapter: ReplayAdapter
        if Transcript.isTranscript(bytes) {
            do {
                adapter = ReplayAdapter(try Transcript(parsing: bytes))
            } catch {
                throw .damagedTranscript(path: path, line: error.line, reason: error.reason)
            }
        } else {
            adapter = ReplayAdapter(conversation: bytes)
        }
        guard !adapter.isEmpty else {
            throw .emptyRecording(path: path, magic: Transcript.magic)
        }
        return adapter
    }
}

extension ReplayAdapter {
    /// The wire protocol of the recording; empty for an ELM327.
    var protocols: [String] {
        if isGoLink { return [GoLinkDialect.protocolString] }
        if isDoIP { return [DoIPDialect.protocolString] }
        if hasRecords { return [CANDialect.recordProtocol] }
        return isSLCAN ? [CANDialect.slcanProtocol] : []
    }
}
