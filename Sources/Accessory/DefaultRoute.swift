import Glibc
import SystemIO

/// Checks whether the network of a Wi-Fi adapter has become the route to the internet.
enum DefaultRoute {
    /// The interface of the default route if `host`, an IPv4 address, is in a network that is directly
    /// connected to it; nil otherwise.
    static func interface(throughNetworkOf host: String) -> String? {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1,
            let table = Files.text("/proc/net/route", limit: 4 << 20)
        else { return nil }
        return interface(throughNetworkOf: address.s_addr, in: table)
    }

    /// The same check with an address in network order and the text of `/proc/net/route`.
    static func interface(throughNetworkOf address: UInt32, in table: String) -> String? {
        struct Row {
            var interface: String
            var destination, gateway, mask: UInt32
        }
        let rows = table.split(separator: "\n").dropFirst().compactMap { line -> Row? in
            let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
            guard words.count > 7, let destination = UInt32(words[1], radix: 16),
                let gateway = UInt32(words[2], radix: 16), let mask = UInt32(words[7], radix: 16)
            else { return nil }
            return Row(
                interface: String(words[0]), destination: destination, gateway: gateway,
                mask: mask)
        }
        guard let first = rows.first(where: { $0.mask == 0 && $0.gateway != 0 }) else { return nil }
        let isBehind = rows.contains { row in
            row.interface == first.interface && row.mask != 0 && row.gateway == 0
                && address & row.mask == row.destination
        }
        return isBehind ? first.interface : nil
    }
}
