/// Makes the keyed containers of one type of keys. The type table holds the subclass for each.
///
/// The subclass has the containers' types among its own parameters. Asking the run time for the metadata of a generic
/// container, at each `container(keyedBy:)`, costs as much as decoding two members: 6 % of decoding and encoding.
class JsonContainers<Key: CodingKey> {
    class func container(of decoder: consuming JsonValueDecoder) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JsonValueDecoder.KeyedContainer<Key>(decoder: decoder))
    }

    class func container(of encoder: consuming JsonValueEncoder) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonValueEncoder.KeyedContainer<Key>(encoder: encoder))
    }

    static var known: JsonContainers<Key>.Type {
        Known<JsonValueDecoder.KeyedContainer<Key>, JsonValueEncoder.KeyedContainer<Key>>.self
    }

    private final class Known<Decoding: JsonDecodingContainer, Encoding: JsonEncodingContainer>: JsonContainers<Key>
    where Decoding.Key == Key, Encoding.Key == Key {
        override class func container(of decoder: consuming JsonValueDecoder) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Decoding(decoder: decoder))
        }

        override class func container(of encoder: consuming JsonValueEncoder) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(Encoding(encoder: encoder))
        }
    }
}

/// A keyed container of the decoder.
protocol JsonDecodingContainer: KeyedDecodingContainerProtocol {
    init(decoder: JsonValueDecoder)
}

/// A keyed container of the encoder.
protocol JsonEncodingContainer: KeyedEncodingContainerProtocol {
    init(encoder: JsonValueEncoder)
}
