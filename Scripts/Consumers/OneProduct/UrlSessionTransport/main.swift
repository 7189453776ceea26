import UrlSessionTransport

print("UrlSessionTransport")
