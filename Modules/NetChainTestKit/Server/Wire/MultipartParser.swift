import HttpMessages

/// Parses a `multipart/form-data` body (RFC 2046 §5.1, RFC 7578) strictly, so that an error of the client is detected.
struct MultipartParser {
    let boundary: String

    func parts(of body: [UInt8]) throws -> [LoopbackRequest.Part] {
        let opening = Array("--\(boundary)".utf8)
        let delimiter = Array("\r\n--\(boundary)".utf8)
        guard body.starts(with: opening) else { throw failure("the body does not start with the boundary") }
        var parts: [LoopbackRequest.Part] = []
        var position = opening.count
        while true {
            let mark = body[position...].prefix(2)
            if mark.elementsEqual("--".utf8) {
                let rest = body[(position + 2)...]
                guard rest.isEmpty || rest.elementsEqual("\r\n".utf8) else {
                    throw failure("\(rest.count) bytes follow the closing boundary")
                }
                return parts
            }
            guard mark.elementsEqual("\r\n".utf8) else {
                throw failure("a boundary is followed by neither CRLF nor --")
            }
            guard let end = ByteSearch.first(delimiter, in: body, from: position) else {
                throw failure("the closing boundary is missing after part \(parts.count + 1)")
            }
            parts.append(try part(of: Array(body[position..<end]), number: parts.count + 1))
            position = end + delimiter.count
        }
    }

    /// One part; `bytes` begin with the line break after the boundary.
    private func part(of bytes: [UInt8], number: Int) throws -> LoopbackRequest.Part {
        guard let headEnd = ByteSearch.first(Array("\r\n\r\n".utf8), in: bytes, from: 0) else {
            throw failure("part \(number) has no empty line after its headers")
        }
        let headers = try bytes[..<headEnd].split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self).filter { $0 != "\r" && $0 != "\r\n" } }
            .filter { !$0.isEmpty }
            .map { line in
                guard let colon = line.firstIndex(of: ":") else {
                    throw failure("part \(number) has a header line without a colon")
                }
                return HttpHeaders.Field(
                    name: String(line[..<colon]), value: String(line[line.index(after: colon)...].trimmed))
            }
        let all = HttpHeaders(headers)
        let disposition = all["Content-Disposition"] ?? ""
        let parameters = HeaderParameters(disposition)
        guard String(disposition.prefix(9)).equalsIgnoringCase("form-data"), let name = parameters["name"] else {
            throw failure("part \(number) has no Content-Disposition: form-data with a name")
        }
        return .init(
            headers: all, name: name, filename: parameters["filename"], body: Array(bytes[(headEnd + 4)...]))
    }

    private func failure(_ message: String) -> LoopbackError {
        LoopbackError(.malformedBody, "multipart body: \(message)")
    }
}
