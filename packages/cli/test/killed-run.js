// @ts-check
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { pathToFileURL } from 'node:url'

// Runs `api`, or `create-api adopt`, in a process that is killed at its nth rename: <n> <built package> <cwd> <arguments>.
const [at, entry = '', cwd = '', ...args] = process.argv.slice(2)
const { renameSync } = fs
let calls = 0
fs.renameSync = (from, to) => {
  calls += 1
  if (calls === Number(at)) process.kill(process.pid, 'SIGKILL')
  renameSync(from, to)
}
syncBuiltinESMExports()
const { createApiProgram, createProjectProgram, run } = await import(pathToFileURL(entry).href)
const { env, stderr, stdin, stdout } = process
const program = args[0] === 'adopt' ? createProjectProgram : createApiProgram
await run(program, args, { cwd, env, stderr, stdin, stdout })
