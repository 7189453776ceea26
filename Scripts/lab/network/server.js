// Node's HTTP/2 and HTTP/1.1 server for Scripts/network-lab.sh: server.js FOLDER LOG PORT
//
// It responds to /early with 413 before it has read the body, and to anything else with 200. LOG gets a line "id
// status" for each request.
const fs = require("fs");
const http2 = require("http2");

const [folder, path, port] = process.argv.slice(2);
const log = fs.openSync(path, "a");
const options = {
  allowHTTP1: true,
  key: fs.readFileSync(`${folder}/server.key`),
  cert: fs.readFileSync(`${folder}/server.pem`),
};
const ignored = () => {};

const server = http2.createSecureServer(options, (request, response) => {
  const respond = (status) => {
    fs.writeSync(log, `${request.headers["x-request-id"]} ${status}\n`);
    response.writeHead(status);
    response.end("ok\n");
  };
  request.on("error", ignored);
  response.on("error", ignored);
  if (request.url === "/early") return respond(413);
  request.resume();
  request.on("end", () => respond(200));
});
server.on("error", ignored);
server.listen(Number(port));
