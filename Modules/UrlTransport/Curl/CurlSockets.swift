#if os(Linux)
import CNetChainCurl
import Glibc

/// The sockets of one loop's connections, so that a connection can be looked at right before a request goes over it, or
/// before the first of those that go out together.
///
/// Between two requests an HTTP/1 server has nothing to say. What it says all the same (a 408, or worse) libcurl takes
/// for the next request's answer, and a connection that was reset it takes for a live one (as of 7.88). Only the loop's
/// thread uses this.
///
/// It is asked before each request goes out, and so it also has requests that share a connection of HTTP/2 leave together.
final class CurlSockets {
    /// What libcurl tells of the connection that a request is about to use.
    struct Connection: Hashable {
        /// A digest of the address (FNV-1a): a text for each request would cost more than all else here. Two connections
        /// with the same ports and the same digest would be taken for each other, and only looked at in vain.
        private let remoteAddress: UInt64
        private let ports: UInt64
        let localPort: Int32

        init(remoteAddress: UnsafePointer<CChar>?, remotePort: Int32, localPort: Int32) {
            var digest: UInt64 = 0xCBF2_9CE4_8422_2325
            if var place = remoteAddress {
                while place.pointee != 0 {
                    digest = (digest ^ UInt64(UInt8(bitPattern: place.pointee))) &* 0x100_0000_01B3
                    place += 1
                }
            }
            self.remoteAddress = digest
            ports = UInt64(UInt32(bitPattern: remotePort)) << 32 | UInt64(UInt32(bitPattern: localPort))
            self.localPort = localPort
        }

        static func == (left: Connection, right: Connection) -> Bool {
            left.ports == right.ports && left.remoteAddress == right.remoteAddress
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ports ^ remoteAddress)
        }
    }

    private enum Use {
        /// New, under way for that transfer, or to be looked at by itself after it.
        case unknown(by: ObjectIdentifier?)
        /// Between two requests.
        case free
        /// Between two requests, and without anything to read at that look.
        case silent(look: Int)
    }

    /// What is known of an open socket.
    private struct Socket {
        var connection: Connection?
        var remoteAddress: String?
        /// Whether HTTP/1 is known to be spoken over it; over another one a server may speak at any time.
        var speaksHttp1 = false
        var use = Use.unknown(by: nil)
        /// In the order of opening.
        var number = 0
        /// Whether it is among those that came free.
        var isListed = false

        var isFree: Bool {
            if case .free = use { true } else { false }
        }
    }

    /// So many are looked at together, and so many requests may rely on it: the last one begins soon after the look.
    private static let mostTogether = 64

    /// Sockets that no request has used yet.
    @exclusivity(unchecked) private var unused: Set<Int32> = []
    @exclusivity(unchecked) private var descriptors: [Connection: Int32] = [:]
    /// The same by port, for a look without a digest of the key: what is found has to be compared.
    @exclusivity(unchecked) private var descriptorsByPort = [Int32](repeating: 0, count: 256)
    /// By descriptor.
    @exclusivity(unchecked) private var sockets: [Socket] = []

    /// Requests that were started for the loop's next turn, or for the one under way.
    private var starts = 0
    /// Whether several connections were looked at in this turn.
    private var hasLooked = false
    /// How many sockets were opened.
    private var opened = 0
    /// Connections that came free, in the order in which libcurl takes those of one origin: the one that was opened first.
    /// Some may be in use again.
    @exclusivity(unchecked) private var freed: [Int32] = []
    /// Those that were looked at in this turn.
    @exclusivity(unchecked) private var looked: [pollfd] = []
    /// Looks at several connections, and how many requests may still rely on the last one.
    private var looks = 0
    private var reliances = 0

    /// A connection of HTTP/2 that requests of this turn go over. Behind the first of them the kernel holds back what is no
    /// full packet until the turn's end, or until so many are there.
    private struct Cork {
        let descriptor: Int32
        /// Since the last packet; 0 while there is no cork.
        var heldRequests = 0
    }

    /// More would leave the server without work meanwhile.
    private static let mostHeld = 8

    @exclusivity(unchecked) private var corks: [Cork] = []

    private let poller: CurlPoller

    init(poller: CurlPoller) {
        self.poller = poller
    }

    /// How many sockets are open.
    var count: Int { unused.count + descriptors.count }

    /// Opens a socket as libcurl asks for it.
    func open(_ address: curl_sockaddr) -> Int32 {
        // A child process must not keep the connection open.
        let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        if descriptor >= 0 {
            unused.insert(descriptor)
            let missing = Int(descriptor) + 1 - sockets.count
            if missing > 0 { sockets.append(contentsOf: repeatElement(Socket(), count: missing + 63)) }
            opened += 1
            sockets[Int(descriptor)] = Socket(number: opened)
            poller.add(descriptor)
        }
        return descriptor
    }

    /// Hears of the end of the sockets that `easy` opens. A connection may outlive the transfer that opened it.
    func watch(_ easy: CurlEasyHandle) {
        netchain_set_close_function(
            easy.raw,
            { context, descriptor in
                CurlSockets.of(context)?.forget(descriptor)
                return close(descriptor)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
        context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
    }

    private func forget(_ descriptor: Int32) {
        poller.forget(descriptor)
        corks.removeAll { $0.descriptor == descriptor }
        unused.remove(descriptor)
        guard sockets.indices.contains(Int(descriptor)) else { return }
        if let connection = sockets[Int(descriptor)].connection { descriptors[connection] = nil }
        if sockets[Int(descriptor)].isListed { freed.removeAll { $0 == descriptor } }
        sockets[Int(descriptor)] = Socket()
    }

    /// The socket of a connection; nil when it isn't known.
    ///
    /// - Parameters:
    ///   - remoteAddress: the server's address as text, kept for `remoteAddress(of:)`.
    ///   - likely: the socket that it probably is, because the one who asks opened it: with thousands of new connections,
    ///     asking each of their sockets would take long.
    func descriptor(of connection: Connection, at remoteAddress: UnsafePointer<CChar>?, likely: Int32?) -> Int32? {
        // A system gives every second port to those who connect.
        let index = Int(connection.localPort) >> 1 & 255
        let last = Int(descriptorsByPort[index])
        if last < sockets.count, sockets[last].connection == connection { return Int32(last) }
        if let descriptor = descriptors[connection] {
            descriptorsByPort[index] = descriptor
            return descriptor
        }
        let isIt = { Self.localPort(of: $0) == connection.localPort }
        let found = likely.flatMap { unused.contains($0) && isIt($0) ? $0 : nil } ?? unused.first(where: isIt)
        guard let descriptor = found else { return nil }
        unused.remove(descriptor)
        descriptors[connection] = descriptor
        sockets[Int(descriptor)].connection = connection
        sockets[Int(descriptor)].remoteAddress = remoteAddress.map { String(cString: $0) }
        return descriptor
    }

    /// The server's address, as text.
    func remoteAddress(of descriptor: Int32) -> String? {
        sockets[Int(descriptor)].remoteAddress
    }

    /// Notes what an answer that comes over an open socket speaks: HTTP/1, or what lets several requests share it.
    func noteAnswer(on descriptor: Int32, isHttp1: Bool) {
        // For good: a server may write another version into a later answer.
        if isHttp1 { sockets[Int(descriptor)].speaksHttp1 = true }
        poller.note(descriptor, isShared: !sockets[Int(descriptor)].speaksHttp1)
    }

    /// A request was handed to libcurl, which sends it in this turn unless it has to wait for something.
    func noteStart() {
        starts += 1
    }

    /// libcurl has sent what it had to send.
    func endTurn() {
        starts = 0
        hasLooked = false
        uncork()
        reliances = 0
        // Those that were looked at and not used.
        for one in looked {
            if case .unknown = sockets[Int(one.fd)].use { continue }
            sockets[Int(one.fd)].use = .free
            list(one.fd)
        }
        if !looked.isEmpty { looked.removeAll(keepingCapacity: true) }
    }

    /// Has the requests that go over a connection of HTTP/2 in this turn leave together, some at a time: by itself libcurl
    /// sends each in a packet of its own, and that takes longer than all else.
    private func cork(_ descriptor: Int32) {
        guard starts > 1 else { return }
        guard let index = corks.firstIndex(where: { $0.descriptor == descriptor }) else {
            return corks.append(Cork(descriptor: descriptor))
        }
        if corks[index].heldRequests == 0 { Self.set(TCP_CORK, true, of: descriptor) }
        if corks[index].heldRequests == Self.mostHeld {
            // Sends what is there, and the cork stays (tcp(7)).
            Self.set(TCP_NODELAY, true, of: descriptor)
            corks[index].heldRequests = 0
        }
        corks[index].heldRequests += 1
    }

    /// Sends what was held back.
    func uncork() {
        guard !corks.isEmpty else { return }
        for cork in corks where cork.heldRequests > 0 { Self.set(TCP_CORK, false, of: cork.descriptor) }
        corks.removeAll(keepingCapacity: true)
    }

    private static func set(_ option: Int32, _ isOn: Bool, of descriptor: Int32) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// An answer has come as a whole over the connection, which may be another transfer's by now, or closed.
    func noteFree(_ descriptor: Int32, by transfer: CurlTransfer) {
        let index = Int(descriptor)
        guard case .unknown(by: ObjectIdentifier(transfer)) = sockets[index].use, sockets[index].speaksHttp1
        else { return }
        sockets[index].use = .free
        list(descriptor)
    }

    private func list(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard !sockets[index].isListed else { return }
        var place = freed.count
        while place > 0, sockets[Int(freed[place - 1])].number > sockets[index].number { place -= 1 }
        guard place < Self.mostTogether else { return }
        if freed.count == Self.mostTogether { sockets[Int(freed.removeLast())].isListed = false }
        freed.insert(descriptor, at: place)
        sockets[index].isListed = true
    }

    /// A request of `transfer` is about to go over the connection. Returns whether the server is known to have said nothing
    /// since the last answer: where answers come together the next requests go out together, and one look serves them all.
    func use(_ descriptor: Int32, by transfer: CurlTransfer) -> Bool {
        let speaksHttp1 = sockets[Int(descriptor)].speaksHttp1
        if speaksHttp1, starts > 1, freed.count > 1, !hasLooked { lookAtFreed() }
        let use = sockets[Int(descriptor)].use
        sockets[Int(descriptor)].use = .unknown(by: ObjectIdentifier(transfer))
        if !speaksHttp1, case .unknown(by: .some) = use {
            // A second request before an answer: that is HTTP/2's.
            poller.note(descriptor, isShared: true)
            cork(descriptor)
        }
        guard case .silent(looks) = use, reliances > 0 else { return false }
        reliances -= 1
        return true
    }

    /// Looks at the connections that the requests of this turn are about to go over.
    private func lookAtFreed() {
        looked.removeAll(keepingCapacity: true)
        freed.removeAll { descriptor in
            let isFree = sockets[Int(descriptor)].isFree
            if isFree, looked.count == starts { return false }
            if isFree { looked.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
            sockets[Int(descriptor)].isListed = false
            return true
        }
        hasLooked = true
        // Interrupted by a signal, or without memory, the system has told nothing.
        guard poll(&looked, nfds_t(looked.count), 0) >= 0 else { return }
        looks += 1
        reliances = Self.mostTogether
        for one in looked where one.revents == 0 { sockets[Int(one.fd)].use = .silent(look: looks) }
    }

    /// Whether the server has said something, or gone, since the last answer. Such a connection is ended here, and
    /// emptied, so that libcurl finds it dead.
    func discardIfSpoiled(_ descriptor: Int32) -> Bool {
        sockets[Int(descriptor)].speaksHttp1 && discardIfSpoken(descriptor)
    }

    /// The same for a connection of which the protocol is known.
    func discardIfSpoken(_ descriptor: Int32) -> Bool {
        if netchain_is_silent(descriptor) != 0 { return false }
        shutdown(descriptor, Int32(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
        return true
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
            // The port stands at the same place in the addresses of both families.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                result == 0 ? Int32(UInt16(bigEndian: $0.pointee.sin_port)) : nil
            }
        }
    }
}
#endif
