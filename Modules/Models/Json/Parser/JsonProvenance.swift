/// Where a JSON text came from, usually the response to a request. Decoding errors contain its description.
package protocol JsonProvenance: Sendable, CustomStringConvertible {}
