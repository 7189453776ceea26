import UrlSessionTransport

_ = try UrlSessionRequestSender()
print("UrlSessionTransport: made")
