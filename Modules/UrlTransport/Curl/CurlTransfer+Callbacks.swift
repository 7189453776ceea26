#if os(Linux)
import CNetChainCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What libcurl calls while it works, on the loop's thread. Returning another count than asked for ends the transfer.
extension CurlTransfer {
    func setCallbacks(of easy: CurlEasyHandle) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        netchain_set_data_function(easy.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlTransfer.of(context)?.receive(bytes, size * count) ?? 0
        }
        easy.set(CURLOPT_WRITEDATA, context)
        netchain_set_data_function(easy.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlTransfer.of(context)?.receiveHeader(bytes, size * count) ?? 0
        }
        easy.set(CURLOPT_HEADERDATA, context)
        if !hop.body.isEmpty {
            netchain_set_data_function(easy.raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
                CurlTransfer.of(context)?.send(bytes, size * count) ?? Int(CURL_READFUNC_ABORT)
            }
            easy.set(CURLOPT_READDATA, context)
            netchain_set_seek_function(easy.raw) { context, offset, _ in
                CurlTransfer.of(context)?.bodyReader.seek(to: Int64(offset))
                return CURL_SEEKFUNC_OK
            }
            easy.set(CURLOPT_SEEKDATA, context)
        }
        if request.options.onProgress != nil {
            netchain_set_progress_function(easy.raw) { context, total, done, uploadTotal, uploaded in
                CurlTransfer.of(context)?.tellProgress(
                    sent: Int64(uploaded), of: Int64(uploadTotal), received: Int64(done), of: Int64(total), isLast: false)
                return 0
            }
            easy.set(CURLOPT_XFERINFODATA, context)
            easy.set(CURLOPT_NOPROGRESS, false)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes else { return 0 }
        let limit = configuration.limits.responseSize
        if body.isEmpty, let easy {
            let expected = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            if expected > 0 { body.reserveCapacity(Int(min(expected, Int64(limit), 8 << 20))) }
        }
        guard count <= limit - body.count else {
            failure = (.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
            return 0
        }
        bytes.withMemoryRebound(to: UInt8.self, capacity: count) { body.append($0, count: count) }
        return count
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes else { return 0 }
        let limit = configuration.limits.headerSize
        guard count <= limit - headerSize else {
            failure = (.headersTooLarge, "the headers are larger than limits.headerSize, \(limit) bytes")
            return 0
        }
        headerSize += count
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        if line.starts(with: "HTTP/".utf8) {
            headerBlock.bytes.removeAll(keepingCapacity: true)
            hasWholeHead = false
        } else if line.first == 0x0D || line.first == 0x0A {
            hasWholeHead = true
        } else if !hasWholeHead {
            // Fields after the body (trailers, RFC 9110 §6.5) are not headers.
            headerBlock.bytes.append(contentsOf: line)
        }
        return count
    }

    private func send(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        do {
            return try bodyReader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        } catch {
            failure = (.uploadFailed, error.message)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Tells the caller how far it is, at most twenty times a second and once at the end.
    func tellProgress(sent: Int64, of toSend: Int64, received: Int64, of toReceive: Int64, isLast: Bool) {
        guard let onProgress = request.options.onProgress else { return }
        let now = ContinuousClock.now
        guard isLast || now - lastProgress >= .milliseconds(50) else { return }
        lastProgress = now
        let isBodyKnown = !request.body.isEmpty
        onProgress(
            TransferProgress(
                sent: sent, totalToSend: toSend > 0 ? toSend : isBodyKnown ? request.body.length : nil,
                received: received, totalToReceive: toReceive > 0 ? toReceive : nil))
    }
}
#endif
