// Node's HTTP/2 and HTTP/1.1 servers for Scripts/network-lab.sh: server.js FOLDER LOG PORT GOAWAY-PORT ERROR-PORT
//
// PORT responds to /early with 413 before it has read the body, rejects each seventh stream of a connection to /refused
// with REFUSED_STREAM, and responds to anything else with 200. GOAWAY-PORT and ERROR-PORT send GOAWAY after 100 streams,
// with no error and with INTERNAL_ERROR, and close the connection after the last response. LOG gets a line "id status"
// for each processed request.
const fs = require("fs");
const http2 = require("http2");

const [folder, path, ...ports] = process.argv.slice(2);
const log = fs.openSync(path, "a");
const options = {
  allowHTTP1: true,
  key: fs.readFileSync(`${folder}/server.key`),
  cert: fs.readFileSync(`${folder}/server.pem`),
};
const ignored = () => {};
const record = (id, status) => fs.writeSync(log, `${id} ${status}\n`);

function stock() {
  return http2.createSecureServer(options, (request, response) => {
    const respond = (status) => {
      record(request.headers["x-request-id"], status);
      response.writeHead(status);
      response.end("ok\n");
    };
    request.on("error", ignored);
    response.on("error", ignored);
    if (request.url === "/early") return respond(413);
    if (request.url === "/refused" && request.httpVersionMajor === 2) {
      const session = request.stream.session;
      session.labStreams = (session.labStreams ?? 0) + 1;
      if (session.labStreams % 7 === 0) return request.stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    }
    request.resume();
    request.on("end", () => respond(200));
  });
}

function ending(code) {
  const server = http2.createSecureServer(options);
  server.on("session", (session) => {
    session.on("error", ignored);
    session.lab = { streams: 0, open: 0, last: 0 };
  });
  server.on("stream", (stream, headers) => {
    const session = stream.session;
    const state = session.lab;
    stream.on("error", ignored);
    // Excluded by GOAWAY: not processed.
    if (state.last) return;
    state.streams += 1;
    state.open += 1;
    stream.on("close", () => {
      state.open -= 1;
      if (state.last && state.open === 0) setTimeout(() => session.destroy(), 50);
    });
    if (state.streams === 100) {
      state.last = stream.id;
      session.goaway(code, stream.id);
    }
    stream.resume();
    stream.on("end", () => {
      record(headers["x-request-id"], 200);
      stream.respond({ ":status": 200 });
      stream.end("ok\n");
    });
  });
  return server;
}

const { NGHTTP2_NO_ERROR, NGHTTP2_INTERNAL_ERROR } = http2.constants;
[stock(), ending(NGHTTP2_NO_ERROR), ending(NGHTTP2_INTERNAL_ERROR)].forEach((server, index) => {
  server.on("error", ignored);
  server.listen(Number(ports[index]));
});
