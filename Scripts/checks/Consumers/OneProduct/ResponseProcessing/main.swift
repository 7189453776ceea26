import ResponseProcessing

_ = ResponseDataPreprocessorNode(next: ResponseDataParserNode())
print("ResponseProcessing: \(RetryPolicy.exponential().maxAttempts) attempts")
