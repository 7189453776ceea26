/// Where a JSON text came from: the response to a request, as a rule. Its description stands in the errors of decoding.
package protocol JsonOrigin: Sendable, CustomStringConvertible {}
