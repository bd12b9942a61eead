/// Whose a TCP connection of this machine is, by the kernel's own list (`/proc/net/tcp`).
public enum SocketOwners {
    /// An address and a port as the list has them: an IPv4 address is one word in the machine's own
    /// order, an IPv6 address four.
    public struct Place: Hashable, Sendable {
        /// The words of the address.
        public var words: [UInt32]
        /// The port.
        public var port: UInt16

        /// A place.
        public init(words: [UInt32], port: UInt16) {
            self.words = words
            self.port = port
        }

        /// As a socket of IPv6 has an IPv4 address: `::ffff:127.0.0.1`; itself where it is none.
        public var mapped: Place {
            words.count == 1
                ? Place(words: [0, 0, UInt32(0xFFFF).bigEndian] + words, port: port) : self
        }

        /// `0100007F:2087`.
        var text: String {
            let hexadecimal = { (value: UInt32, digits: Int) -> String in
                let text = String(value, radix: 16, uppercase: true)
                return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
            }
            return words.map { hexadecimal($0, 8) }.joined() + ":" + hexadecimal(UInt32(port), 4)
        }
    }

    /// The user who holds the end at `local` of a connection to `remote`; nil where the list has no
    /// such connection that a program still has open.
    public static func user(of local: Place, to remote: Place, in list: some StringProtocol)
        -> UInt32?
    {
        let (mine, theirs) = (local.text, remote.text)
        for line in list.split(separator: "\n").dropFirst() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            guard parts.count >= 10, parts[1] == mine, parts[2] == theirs else { continue }
            // 01 = established; 04, 05 = it has said that it sends no more, and waits for the answer.
            // Without an inode nobody has it open any more, and the user is not told.
            guard ["01", "04", "05"].contains(parts[3]), parts[9] != "0" else { return nil }
            return UInt32(parts[7])
        }
        return nil
    }
}
