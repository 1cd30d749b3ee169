// @ts-check
// Measures the duration of the commands, also as a ratio to `node -e 0`, and of a new project the time from
// `npm run dev`, and from a saved file, to the first response. Usage: node scripts/measure/start.js [rounds]
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const rounds = Number(process.argv[2] ?? 5)
const bin = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../../packages/cli/dist/${name}.js`, import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'measure-'))
const project = path.join(folder, 'service')

/** @type {Record<string, (round: number) => string[]>} */
const commands = {
  'node -e 0': () => ['-e', '0'],
  'api --help': () => [bin('api'), '--help'],
  'create-api --no-install': (round) => [
    bin('create-api'),
    path.join(folder, `other-${round}`),
    '--yes',
    '--no-install',
    '--no-git',
  ],
  'api generate resource': (round) => [
    bin('api'),
    '--cwd',
    project,
    'generate',
    'resource',
    `things${'abcdefghijklmnop'[round]}`,
    'title:string',
    '--no-format',
  ],
}

try {
  run([bin('create-api'), project, '--yes', '--no-git'])
  /** @type {Record<string, number[]>} */
  const times = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, toArguments] of Object.entries(commands)) {
      ;(times[name] ??= []).push(run(toArguments(round)))
    }
  }
  const floor = median(times['node -e 0'] ?? [])
  for (const [name, values] of Object.entries(times)) {
    const time = median(values)
    console.log(
      `${name.padEnd(26)}${time.toFixed(0).padStart(6)} ms${(time / floor).toFixed(2).padStart(8)} x`,
    )
  }
  const { started, restarted } = await timeResponses()
  console.log(`first response after dev  ${started.toFixed(0).padStart(6)} ms`)
  console.log(`first response after save ${median(restarted).toFixed(0).padStart(6)} ms`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string[]} args */
function run(args) {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`node ${args.join(' ')}: exit ${status}\n${stderr}`)
  return performance.now() - start
}

async function timeResponses() {
  const start = performance.now()
  const env = { ...process.env, PORT: '0' }
  const child = spawn('npm', ['run', 'dev'], { cwd: project, env, detached: true })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  try {
    await waitForResponse(lines)
    const started = performance.now() - start
    /** @type {number[]} */
    const restarted = []
    for (let round = 0; round < rounds; round++) {
      // A person needs longer for a change.
      await sleep(3000)
      const saved = performance.now()
      appendFileSync(path.join(project, 'src/routes.ts'), '\n')
      await waitForResponse(lines)
      restarted.push(performance.now() - saved)
    }
    return { started, restarted }
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await once(child, 'exit')
  }
}

/** @param {AsyncIterator<string>} lines */
async function waitForResponse(lines) {
  for (;;) {
    const { done, value } = await lines.next()
    if (done) throw new Error('The service exited before it was listening.')
    const [, url] = /serves (http:\S+)/.exec(value) ?? []
    if (!url) continue
    const response = await fetch(url)
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return
  }
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
