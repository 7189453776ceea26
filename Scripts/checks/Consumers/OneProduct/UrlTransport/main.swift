import UrlTransport

var configuration = CurlRequestSender.Configuration()
configuration.connectTimeout = .seconds(5)
_ = try CurlRequestSender(configuration: configuration)
print("UrlTransport: \(HttpMethod.get)")
