import Models
import UrlTransport

@Sendable func payload<Input: DTOEncodable>(of input: Input) throws -> RequestPayload
where Input.DTO.Raw: RequestConvertible {
    try input.toDTO().toRaw().payload
}
