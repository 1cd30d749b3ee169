// One contender in a process of its own: node serve.js <contender> [extra resources]
import { Server } from 'node:net'
import { contenders, databaseContenders, growthContenders, ladderContenders } from './contenders.js'
import { answerProfiler } from './profiler.js'

const [name, extra = '0'] = process.argv.slice(2)

// Thousands of connections wait longer for their turn than the 5 seconds that Node lets them.
// oxlint-disable-next-line typescript/unbound-method -- it is called with its server below
const { listen } = Server.prototype
Server.prototype.listen = function listenPatiently(...args) {
  this.keepAliveTimeout = 65_000
  return listen.apply(this, args)
}

const all = { ...contenders, ...databaseContenders, ...growthContenders, ...ladderContenders }
const { file, options } = all[name]
const { start } = await import(`./contenders/${file}.js`)
answerProfiler()
process.send({ port: await start({ ...options, extra: Number(extra) }) })
// Whoever started this process is gone.
process.on('disconnect', () => process.exit())
