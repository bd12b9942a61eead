/// Finds the owner of a TCP connection of this machine in the kernel's list (`/proc/net/tcp`).
package enum SocketOwners {
    /// An address and a port in the form of the list.
    ///
    /// An IPv4 address is one word in the machine's byte order, an IPv6 address four.
    package struct Place: Hashable, Sendable {
        package var words: [UInt32]
        package var port: UInt16

        package init(words: [UInt32], port: UInt16) {
            self.words = words
            self.port = port
        }

        /// The address in the form of IPv6 sockets, `::ffff:127.0.0.1`; unchanged if it is not
        /// IPv4.
        package var mapped: Place {
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

    /// The user whose program has the end at `local` of a connection to `remote`.
    ///
    /// The result is nil if the list does not contain the connection, or no program has the connection open.
    package static func user(of local: Place, to remote: Place, in list: some StringProtocol)
        -> UInt32?
    {
        let (mine, theirs) = (local.text, remote.text)
        for line in list.split(separator: "\n").dropFirst() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            guard parts.count >= 10, parts[1] == mine, parts[2] == theirs else { continue }
            // 01 = established; 04, 05 = the socket has sent its end and waits for the other side.
            // No program has a connection without an inode open, and the list does not contain its user.
            guard ["01", "04", "05"].contains(parts[3]), parts[9] != "0" else { return nil }
            return UInt32(parts[7])
        }
        return nil
    }
}
