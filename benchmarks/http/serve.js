// One contender in a process of its own: node serve.js <contender> [extra resources]
import { contenders, databaseContenders } from './contenders.js'

const [name, extra = '0'] = process.argv.slice(2)
const { file, options } = { ...contenders, ...databaseContenders }[name]
const { start } = await import(`./contenders/${file}.js`)
process.send({ port: await start({ ...options, extra: Number(extra) }) })
// Whoever started this process is gone.
process.on('disconnect', () => process.exit())
