import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../../../packages/cli/src/lib/programs/api-program.ts'
import { createProjectProgram } from '../../../packages/cli/src/lib/programs/create-program.ts'
import { modules, sourceEnv } from '../../../packages/cli/test/linked-project.ts'
import {
  createTemporaryFolder,
  type Result,
  runProgram,
} from '../../../packages/cli/test/run-program.ts'

const page = readFileSync(
  new URL('../../../docs/moving-an-application.md', import.meta.url),
  'utf8',
)
const commands = Array.from(page.matchAll(/^npx .*$/gm), ([command]) => command)

const files = {
  'package.json': JSON.stringify({
    name: 'notes',
    type: 'module',
    dependencies: { express: '^5.1.0', mongoose: '^9.1.0' },
  }),
  'src/models/note.js': `import mongoose from 'mongoose'

export const NoteModel = mongoose.model(
  'Note',
  new mongoose.Schema({ title: { type: String, required: true } }),
)
`,
  'src/app.js': `import express from 'express'
import { NoteModel } from './models/note.js'

export const app = express()
app.use(express.json())
app.get('/notes', async function list(req, res) {
  res.json(await NoteModel.find())
})
app.post('/notes', async function create(req, res) {
  res.status(201).json(await NoteModel.create({ title: req.body.title }))
})
app.get('/notes/:id', async function read(req, res) {
  res.json(await NoteModel.findById(req.params.id))
})
`,
  'src/server.js': `import mongoose from 'mongoose'
import { app } from './app.js'

await mongoose.connect(process.env.MONGODB_URI)
const server = app.listen(0, () => console.log('port ' + server.address().port))
`,
}

function createApplication(): string {
  const root = createTemporaryFolder()
  symlinkSync(modules, join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Starts the application with an empty database, and returns its host and port. */
async function start(root: string): Promise<string> {
  const database = await startEmbeddedMongo({ storage: { memory: true } })
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/server.js'], {
    cwd: root,
    env: {
      ...process.env,
      ...sourceEnv,
      MONGODB_URI: database.uri,
      JWT_SECRET: randomBytes(32).toString('base64'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await database.stop()
  })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  await expect.poll(() => printed).toContain('port')
  return `localhost:${/\d+/.exec(printed)?.[0]}`
}

/** Runs the command of the page that contains a text. */
function run(root: string, text: string): Promise<Result> {
  const command = commands.find((one) => one.includes(text))
  if (command === undefined) throw new Error(`the page has no command with ${text}`)
  const [, program, ...args] = command.split(' ')
  const env = { ...sourceEnv, MONGODB_URI: 'embedded:memory' }
  const create = program === 'api' ? createApiProgram : createProjectProgram
  return runProgram(create, args, { cwd: root, env })
}

describe('docs/moving-an-application.md', () => {
  it('moves a resource, up to the switch', async () => {
    const root = createApplication()
    const adopted = await run(root, 'create-api adopt')
    expect([adopted.code, adopted.stderr]).toEqual([0, expect.any(String)])
    const generated = await run(root, 'generate resource')
    expect([generated.code, generated.stderr]).toEqual([0, expect.any(String)])

    // The switch: the router at the old path.
    const registry = join(root, 'src/api/routes.js')
    writeFileSync(registry, readFileSync(registry, 'utf8').replace("'/api/notes'", "'/notes'"))
    const mount = join(root, 'src/api/mount.js')
    writeFileSync(mount, readFileSync(mount, 'utf8').replace('(api|', '(api|notes|'))
    const host = await start(root)
    const list = await fetch(`http://${host}/notes`)
    expect(await list.json()).toMatchObject({ data: [] })
  })

  it('runs every command that it shows', () => {
    expect(commands.map((command) => command.split(' ').slice(1, 3).join(' '))).toEqual([
      'create-api adopt',
      'api generate',
    ])
  })
})
