import UrlTransport

var configuration = SenderConfiguration()
configuration.timeouts.connect = .seconds(5)
_ = try CurlRequestSender(configuration: configuration)
print("UrlTransport: \(HttpMethod.get)")
