import Foundation
import NetChainKit
import XMLCoder

/// Bodies in XML, with the elements' names in camel case that starts with a capital letter, as object stores write them.
struct XmlCoder: BodyCoder {
    /// The name of the element that encloses an encoded body.
    let rootElement: String
    let mediaType = "application/xml"

    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        let decoder = XMLDecoder()
        decoder.keyDecodingStrategy = .convertFromCapitalized
        return try decoder.decode(type, from: body)
    }

    func encode(_ value: some Encodable) throws -> Data {
        let encoder = XMLEncoder()
        encoder.keyEncodingStrategy = .capitalized
        return try encoder.encode(value, withRootKey: rootElement)
    }
}
