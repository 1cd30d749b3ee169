// A process of its own that serves a data folder:
// node serve-folder.mjs <built package> <folder> [port of the loopback address]
const [, , built, directory, port] = process.argv
const { startEmbeddedMongo } = await import(`${built}/index.js`)
const mongo = await startEmbeddedMongo({
  storage: { directory },
  port: port === undefined ? undefined : Number(port),
  onMessage: () => {},
})
process.send({ uri: mongo.uri, role: mongo.role })
let { role } = mongo
setInterval(() => {
  if (mongo.role !== role) process.send({ uri: mongo.uri, role: (role = mongo.role) })
}, 10)
