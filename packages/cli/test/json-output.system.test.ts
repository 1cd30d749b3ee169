import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { type ProgramFactory, run } from '../src/lib/programs/run.ts'
import { streams } from '../src/lib/terminal/reject-json.ts'
import { copyApplication } from './adopt/applications.ts'
import { addJob, addOption, createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { errorOutput, outputs } from './output-schemas.ts'
import { createProject, createTemporaryFolder, type Result, runProgram } from './run-program.ts'

// The commands that do something, such as `migrate up`.
function listCommands(command: Command, words: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((child) => {
    const path = [...words, child.name()]
    return child.commands.length > 0 ? listCommands(child, path) : [path.join(' ')]
  })
}

const api = createApiProgram(() => undefined)
const commands = listCommands(api).filter((name) => !Object.hasOwn(streams, `api ${name}`))
const isCommand = (name: string): name is keyof typeof outputs => Object.hasOwn(outputs, name)

function runCommand(program: ProgramFactory, args: readonly string[], cwd: string, input = '') {
  const flagged = args.includes('--') ? ['--json', ...args] : [...args, '--json']
  return runProgram(program, flagged, { cwd, env: sourceEnv, input })
}

// One document, and nothing else.
function parseOutput<Schema extends z.ZodType>(schema: Schema, result: Result): z.output<Schema> {
  expect(result.stderr).toBe('')
  const { data, error } = schema.safeParse(JSON.parse(result.stdout))
  if (error) throw new Error(`${z.prettifyError(error)}\n${result.stdout}`)
  return data
}

// Open for additions: only the tests compare every property.
function toJsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return json
}

describe('--json', () => {
  it('is described for every command, and prints no stream', () => {
    const described = Object.keys(outputs)
    const others = listCommands(createProjectProgram(() => undefined))
    const all = new Set(['create-api', ...commands, ...others])
    expect(described.toSorted()).toEqual([...all].toSorted())
  })

  it('is published as JSON Schema; other changes than additions break programs (UPDATE_DOCS=1 writes it)', () => {
    const named = { ...outputs, error: errorOutput }
    const first = new Map(
      Object.entries(named)
        .toReversed()
        .map(([name, schema]) => [schema, name]),
    )
    const definitions = Object.entries(named).map(([name, schema]) => {
      const original = first.get(schema)
      if (original !== name) return [name, { $ref: `#/$defs/${encodeURI(original ?? '')}` }]
      return [name, toJsonSchema(schema)]
    })
    const document = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'What the commands of create-api and api print with --json',
      $defs: Object.fromEntries(definitions),
    }
    const file = new URL('../output.schema.json', import.meta.url)
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, JSON.stringify(document))
    expect(document).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })

  it.each(Object.entries(streams))('is rejected by %s', async (line, content) => {
    const [program = '', ...args] = line.split(' ')
    const create = program === 'api' ? createApiProgram : createProjectProgram
    const result = await runCommand(create, args, createTemporaryFolder())
    const { error } = parseOutput(errorOutput, result)
    const message = `${line} prints ${content} and cannot be combined with --json`
    expect(error).toMatchObject({ code: 'USAGE', message })
  })

  it('prints what is described, of every command', async () => {
    const root = await createLinkedJavaScript('posts title:string')
    addOption(root, 'auth: { apiKeys: {} }')
    const done = new Set<string>()
    const check = async (line: string, input?: string) => {
      const args = line.split(' ')
      const name = [...commands].find((one) => line === one || line.startsWith(`${one} `)) ?? ''
      if (!isCommand(name)) throw new Error(`${line} is not a command`)
      const result = await runCommand(createApiProgram, args, root, input)
      const output = parseOutput<z.ZodType<{ ok: boolean }>>(outputs[name], result)
      expect([line, output.ok]).toEqual([line, result.code === 0])
      done.add(name)
      return z.record(z.string(), z.unknown()).parse(output)
    }
    const password = 'TestRiver42!\n'
    await check('generate resource notes body:text --access owner')
    await check('generate resource notes body:text --access owner --check')
    await check('generate resource ideas --dry-run')
    for (const part of ['model', 'validation', 'service', 'controller', 'routes', 'test'])
      await check(`generate ${part} tags name:string --dry-run`)
    await check('generate middleware timer')
    await check('generate auth --factors totp --dry-run')
    await check('generate webhooks --dry-run')
    await check('destroy webhooks --dry-run')
    await check('add field notes priority:int:default=3')
    await check('migrate plan')
    await check('migrate status')
    await check('migrate up --dry-run')
    await check('migrate up')
    await check('migrate redo')
    await check('migrate status')
    await check('migrate down --dry-run')
    await check('migrate down')
    await check('remove field notes priority')
    await check('migrate create split-names')
    rmSync(join(root, 'src/migrations'), { recursive: true })
    await check('templates list')
    await check('templates eject model')
    await check('client')
    await check('client --check')
    await check('upgrade --dry-run --force')
    writeFileSync(join(root, 'README.md'), '# Mine\n')
    await check('upgrade --dry-run --force')
    await check('routes')
    await check('routes --verify')
    for (const words of ['validation_failed', 'CONFLICT', 'rateLimit.limit'])
      await check(`explain ${words}`)
    await check('request GET /api/posts --memory')
    await check('request GET /nowhere --memory')
    writeFileSync(join(root, 'posts.csv'), 'Title\nOne\n""\n')
    await check('import posts posts.csv --dry-run')
    await check('import posts posts.csv')
    await check('import posts posts.csv')
    await check('import posts - --format ndjson', '{"title":"Two"}\n')
    await check('doctor')
    await check('env')
    await check('env --write')
    await check('openapi')
    await check('openapi --write')
    await check('add field notes extra:string')
    await check('openapi --check')
    await check('destroy resource notes')
    await check('info')
    await check('keys generate')
    await check('keys generate --alg ES256')
    await check('keys rotate')
    await check('users create --email ada@example.com --role admin --password-stdin', password)
    await check('users list')
    await check('users grant ada@example.com editor')
    await check('users revoke ada@example.com editor')
    await check('keys create --user ada@example.com --name deploy --scopes user')
    const { keys } = await check('keys list --user ada@example.com')
    const [key] = z.array(z.looseObject({ id: z.string() })).parse(keys)
    await check(`keys revoke ${key?.id}`)
    await check('keys revoke --user ada@example.com')
    await check('generate resource memos title:string --audit')
    await check('audit list')
    await check('audit verify')
    await check('audit purge')
    await check('users export ada@example.com')
    await check('users export ada@example.com --out ada.ndjson')
    await check('users erase ada@example.com --dry-run')
    addJob(root)
    await check('jobs list')
    await check('jobs list --state dead --limit 5')
    await check('jobs retry --all')
    await check('jobs discard --name broken')
    await check('jobs pause broken')
    await check('jobs resume broken')
    await check('completion bash')
    expect([...done].toSorted()).toEqual([...commands].toSorted())

    const folder = createTemporaryFolder()
    for (const flag of ['--dry-run', '--no-git']) {
      const args = ['service', '--yes', '--no-install', flag]
      const result = await runCommand(createProjectProgram, args, folder)
      parseOutput(outputs['create-api'], result)
    }
    const document = ['client', join(root, 'openapi.json'), '--out', 'client.ts']
    parseOutput(outputs.client, await runCommand(createProjectProgram, document, folder))
  })

  it('is one document of adopt', async () => {
    const root = copyApplication('joi-modules')
    for (const args of [['--dry-run'], ['--yes'], ['--undo', '--yes']]) {
      const result = await runCommand(createProjectProgram, ['adopt', ...args], root)
      expect(parseOutput(outputs.adopt, result)).toMatchObject({ ok: true })
    }
  })
})

describe('an error with --json', () => {
  const lines = [...commands, ...Object.keys(streams).map((line) => line.replace(/^api /, ''))]

  it.each(lines.filter((line) => !line.startsWith('create-api')))(
    'of %s is one document with code, message and exit code',
    async (line) => {
      const args = [...line.split(' '), '--unknown-option']
      const result = await runCommand(createApiProgram, args, createTemporaryFolder())
      const { error } = parseOutput(errorOutput, result)
      expect(error).toMatchObject({ code: 'USAGE', exit: 2 })
      expect(error.hint).toContain('--help')
      expect(result.code).toBe(2)
    },
  )

  it('has the exit code of its kind', async () => {
    const outside = await runCommand(createApiProgram, ['routes'], createTemporaryFolder())
    expect(parseOutput(errorOutput, outside).error).toMatchObject({
      code: 'NOT_A_PROJECT',
      exit: 5,
    })
    expect(outside.code).toBe(5)
  })
})

// Terminals at both ends, where a prompt is possible, and a standard input that is never read.
async function runInTerminal(
  program: ProgramFactory,
  args: readonly string[],
  cwd: string,
): Promise<Result> {
  let stdout = ''
  let stderr = ''
  const stdin = Object.assign(
    (async function* () {
      yield await Promise.reject<string>(new Error('standard input was read'))
    })(),
    { isTTY: true },
  )
  const code = await run(program, args, {
    cwd,
    env: sourceEnv,
    stdin,
    stdout: { isTTY: true, write: (text) => (stdout += text) },
    stderr: { isTTY: true, write: (text) => (stderr += text) },
  })
  return { code, stdout, stderr }
}

describe('a command that asks in a terminal', () => {
  it.each([
    ['create-api', [], 'USAGE'],
    ['api', ['users', 'create'], 'USAGE'],
    ['api', ['users', 'create', '--email', 'ada@example.com'], 'USAGE'],
    ['api', ['generate', 'resource', 'posts', 'body:text'], 'CONFLICT'],
    ['api', ['destroy', 'resource', 'posts'], 'CONFLICT'],
  ] as const)('does not ask with --json: %s %j', async (program, args, code) => {
    const root = await createProject(['posts title:string'])
    writeFileSync(join(root, 'src/resources/posts/posts.model.ts'), '// mine\n')
    const create = program === 'api' ? createApiProgram : createProjectProgram
    const result = await runInTerminal(create, [...args, '--json'], root)
    expect(parseOutput(errorOutput, result).error.code).toBe(code)
  })
})
