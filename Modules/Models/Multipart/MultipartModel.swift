public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A form that is sent as `multipart/form-data` (RFC 7578): fields and files, in order.
///
/// A model whose ``RawEncodable/Raw`` is `MultipartModel<[String: Data]>` is sent as such a form. The form itself can
/// also be the model.
///
/// ```swift
/// let form = MultipartModel(
///     payloadModel: ["title": Data("Sunset".utf8)],
///     files: ["photo": .data(data: jpeg, filename: "sunset.jpg", mimetype: "image/jpeg")])
/// ```
public struct MultipartModel<Payload: Sendable>: Sendable {
    /// The form's fields.
    public var payloadModel: Payload

    /// The parts that follow the fields: files, and fields whose order or repetition matters.
    package var attachments: [MultipartPart]

    /// A form with these fields, then these parts in their order.
    package init(payloadModel: Payload, parts: [MultipartPart]) {
        self.payloadModel = payloadModel
        attachments = parts
    }

    /// A form with these fields, then these files in the literal's order; a name may occur several times.
    public init(payloadModel: Payload, files: KeyValuePairs<String, MultipartFileProvider> = [:]) {
        self.init(payloadModel: payloadModel, parts: files.map { MultipartPart(name: $0.key, file: $0.value) })
    }

    /// A form with these fields, then these files in the order of their names, because a dictionary has none.
    public init(payloadModel: Payload, filesByName: [String: MultipartFileProvider]) {
        let sorted = filesByName.sorted { $0.key < $1.key }
        self.init(payloadModel: payloadModel, parts: sorted.map { MultipartPart(name: $0.key, file: $0.value) })
    }

    /// Adds a file after all other parts.
    public mutating func append(_ file: MultipartFileProvider, name: String) {
        attachments.append(MultipartPart(name: name, file: file))
    }

    /// Adds a field after all other parts; the same name may occur again.
    ///
    /// ```swift
    /// form.append(Json(["page": 1]).data, name: "settings", contentType: "application/json")
    /// ```
    public mutating func append(_ value: some MultipartFieldValue, name: String, contentType: String? = nil) {
        attachments.append(
            MultipartPart(name: name, contentType: contentType, content: .data(value.multipartData)))
    }
}

extension MultipartModel: Equatable where Payload: Equatable {}

extension MultipartModel where Payload == [String: Data] {
    /// The parts in the order in which they are sent. The fields are sorted by name, because a dictionary has no order.
    /// Then the files and further parts follow in their order.
    package var parts: [MultipartPart] {
        payloadModel.sorted { $0.key < $1.key }.map { MultipartPart(name: $0.key, content: .data($0.value)) }
            + attachments
    }

    /// A form of fields in the literal's order, or an empty one for files. The values of fields may be texts, numbers,
    /// Booleans and data; a name may occur several times.
    ///
    /// ```swift
    /// let form = MultipartModel(fields: ["title": "Sunset", "year": 2026, "tag": "sea", "tag": "sun"])
    /// ```
    public init(fields: KeyValuePairs<String, any MultipartFieldValue> = [:]) {
        self.init(
            payloadModel: [:],
            parts: fields.map { MultipartPart(name: $0.key, content: .data($0.value.multipartData)) })
    }
}

extension MultipartModel: RawEncodable, DTOEncodable, EncodableRawForm where Payload == [String: Data] {}

extension MultipartModel: MaskedValue {
    /// The type of the payload and the names of the attachments; no values.
    public var description: String {
        "multipart form of \(Payload.self) with [\(attachments.map(\.name).joined(separator: ", "))]"
    }
}
