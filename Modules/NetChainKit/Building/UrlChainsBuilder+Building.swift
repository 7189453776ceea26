import Models
import NodeCore
import ResponseProcessing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UrlChainsBuilder {
    /// A chain that takes a model and gives one: the default chain of 16 nodes.
    public func build<Input: DTOEncodable, Output: DTODecodable>() -> Node<Input, Output>
    where Input.DTO.Raw == Json, Output.DTO.Raw == Json {
        head(ModelInputNode(next: service.traced(DTOMapperNode(next: pipeline(answer: .json)))))
    }

    /// A chain that needs no input and gives a model: the usual `GET`. No body is sent.
    public func build<Output: DTODecodable>() -> Node<Void, Output> where Output.DTO.Raw == Json {
        head(VoidInputNode(next: pipeline(answer: .json)))
    }

    /// A chain that takes a model and gives nothing back. The body of the answer isn't looked at.
    public func build<Input: DTOEncodable>() -> Node<Input, Void> where Input.DTO.Raw == Json {
        head(VoidOutputNode(next: pipeline(answer: .nothing)))
    }

    /// A chain that neither takes nor gives anything. The body of the answer isn't looked at.
    public func build() -> Node<Void, Void> {
        head(VoidIONode(next: pipeline(answer: .nothing)))
    }

    /// A chain that sends a multipart form and gives a model. The encoding is `multipart/form-data` whatever
    /// ``encode(as:)`` said.
    public func build<Input: DTOEncodable, Output: DTODecodable>() -> Node<Input, Output>
    where Input.DTO.Raw == MultipartModel<[String: Data]>, Output.DTO.Raw == Json {
        let carrier = service.traced(.multipartCarrier(next: pipeline(answer: .json)))
        return head(ModelInputNode(next: service.traced(DTOMapperNode(next: carrier))))
    }

    /// A chain that sends a multipart form and gives nothing back. The body of the answer isn't looked at.
    public func build<Input: DTOEncodable>() -> Node<Input, Void>
    where Input.DTO.Raw == MultipartModel<[String: Data]> {
        head(VoidOutputNode(next: service.traced(.multipartCarrier(next: pipeline(answer: .nothing)))))
    }

    /// A chain that loads a file: the body of the answer as it came.
    public func loadData() -> Node<Void, Data> {
        head(VoidReceivingNode(next: service.traced(LoadedDataNode(next: pipeline(answer: .data)))))
    }

    /// A chain that sends a model and loads a file.
    public func loadData<Input: DTOEncodable>() -> Node<Input, Data> where Input.DTO.Raw == Json {
        let loader = service.traced(LoadedDataNode(next: pipeline(answer: .data)))
        return head(DTOEncoderNode(next: service.traced(RawEncoderNode(next: loader))))
    }
}
