/// Makes the keyed containers of one type of keys. The type table holds one for each.
///
/// The subclass that it holds has the containers' types among its own parameters. Asking the run time for the metadata
/// of a generic container, at each `container(keyedBy:)`, costs as much as decoding two members.
class JsonContainers<Key: CodingKey> {
    func container(of decoder: JsonValueDecoder) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JsonValueDecoder.KeyedContainer<Key>(decoder: decoder))
    }

    func container(of encoder: JsonValueEncoder) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonValueEncoder.KeyedContainer<Key>(encoder: encoder))
    }

    static func make() -> JsonContainers<Key> {
        Known<JsonValueDecoder.KeyedContainer<Key>, JsonValueEncoder.KeyedContainer<Key>>()
    }

    private final class Known<Decoding: JsonDecodingContainer, Encoding: JsonEncodingContainer>: JsonContainers<Key>
    where Decoding.Key == Key, Encoding.Key == Key {
        override func container(of decoder: JsonValueDecoder) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Decoding(decoder: decoder))
        }

        override func container(of encoder: JsonValueEncoder) -> KeyedEncodingContainer<Key> {
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
