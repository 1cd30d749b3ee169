import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { createProject, runProgram } from './run-program.ts'

const cases: readonly (readonly [line: string, suggestion: string])[] = [
  ['genrate', 'generate'],
  ['generate resorce posts', 'resource'],
  ['generate modle posts', 'model'],
  ['add feild posts a:int', 'field'],
  ['destroy resourse posts', 'resource'],
  ['templates ejct', 'eject'],
  ['keys genrate', 'generate'],
  ['generate resource tags --acess user', '--access'],
  ['routes --metod get', '--method'],
  ['openapi --chek', '--check'],
  ['env --wirte', '--write'],
  ['add field posts a:int --no-migrate', '--no-migration'],
  ['generate resource tags --access publik', 'public'],
  ['generate resource tags --only modl', 'model'],
  ['generate resource tags --actions lst', 'list'],
  ['completion fihs', 'fish'],
  ['generate resource tags b:nubmer', 'number'],
  ['generate resource tags b:int:uniqe', 'unique'],
  ['add field post a:strng', 'string'],
  ['add field psots a:int', 'posts'],
  ['remove field posts titel', 'title'],
  ['destroy resource psot', 'posts'],
  ['templates eject modl', 'model'],
]

describe('did you mean', () => {
  it.each(cases)('%s', async (line, suggestion) => {
    const cwd = await createProject(['posts title:string'])
    const { code, stderr, stdout } = await runProgram(createApiProgram, line.split(' '), { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const pattern = new RegExp(`[Dd]id you mean "?${suggestion}"?\\?`)
    expect(stderr).toMatch(pattern)
  })

  it('of create-api', async () => {
    const run = (...args: string[]) => runProgram(createProjectProgram, args, { cwd: '/tmp' })
    expect((await run('a', '--pm', 'pmpm')).stderr).toContain('(Did you mean pnpm?)')
    expect((await run('a', '--no-instal')).stderr).toContain('(Did you mean --no-install?)')
  })
})

describe('help', () => {
  it('of every command has an example that begins with it', async () => {
    const program = createApiProgram(() => undefined)
    const paths = program.commands.flatMap((command) =>
      command.commands.length === 0
        ? [[command.name()]]
        : command.commands.map((child) => [command.name(), child.name()]),
    )
    const lacking: string[] = []
    for (const path of paths) {
      const { stdout } = await runProgram(createApiProgram, [...path, '--help'], { cwd: '/' })
      const examples = stdout.split('Examples:')[1] ?? ''
      if (!examples.includes(`npx api ${path.join(' ')}`)) lacking.push(path.join(' '))
    }
    expect(lacking).toEqual([])
  })
})
