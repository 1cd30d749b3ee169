import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { version } from '../src/lib/package/own-package.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, readTree, type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd })
}

describe('api generate <part>', () => {
  it('writes one file of a resource', async () => {
    const root = await createProject()
    const { code } = await api(root, 'generate', 'model', 'posts', 'title:string')
    expect(code).toBe(0)
    expect([...readTree(join(root, 'src/resources')).keys()]).toEqual(['posts/posts.model.ts'])
  })
})

describe('api generate middleware', () => {
  it('writes one, changes nothing the second time, keeps an edited one', async () => {
    const root = await createProject()
    const { code, stderr } = await api(root, 'generate', 'middleware', 'RequestTimer')
    expect(code).toBe(0)
    expect(stderr).toContain('before: [requestTimer()]')
    const file = join(root, 'src/middleware/request-timer.ts')
    expect(readFileSync(file, 'utf8')).toContain('export function requestTimer(): RequestHandler')
    const again = await api(root, 'generate', 'middleware', 'request-timer')
    expect(again.stdout).toContain('Nothing to do.')
    writeFileSync(file, '// mine\n')
    expect((await api(root, 'generate', 'middleware', 'request-timer')).code).toBe(3)
    expect(readFileSync(file, 'utf8')).toBe('// mine\n')
    expect((await api(root, 'generate', 'middleware', '../x')).code).toBe(2)
  })
})

describe('api templates', () => {
  it('lists templates, copies one to change, and uses it from then on', async () => {
    const root = await createProject()
    expect((await api(root, 'templates', 'list')).stdout).toContain(
      'built-in  resource/model.ts.hbs',
    )
    expect((await api(root, 'templates', 'eject', 'model')).code).toBe(0)
    expect((await api(root, 'templates', 'list')).stdout).toContain(
      'own       resource/model.ts.hbs',
    )
    const plain = await createProject(['posts'])
    await api(root, 'generate', 'resource', 'posts')
    const model = 'src/resources/posts/posts.model.ts'
    expect(readFileSync(join(root, model), 'utf8')).toBe(readFileSync(join(plain, model), 'utf8'))
    const wrong = await api(root, 'templates', 'eject', 'modl')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('did you mean "model"?')
  })
})

describe('api doctor --fix', () => {
  it.each([
    ['the closing mount marker', /\/\/ <\/api:mounts>.*\n/],
    ['the opening import marker', /\/\/ <api:imports>.*\n/],
    ['all markers', /\/\/ <\/?api:.*\n/g],
  ])('puts %s back', async (_what, pattern) => {
    const root = await createProject(['posts'])
    const registry = join(root, 'src/routes.ts')
    writeFileSync(registry, readFileSync(registry, 'utf8').replace(pattern, ''))
    expect((await api(root, 'generate', 'resource', 'tags')).code).toBe(4)
    const { stdout } = await api(root, 'doctor', '--fix')
    expect(stdout).toContain('  fixed      src/routes.ts')
    expect((await api(root, 'generate', 'resource', 'tags')).code).toBe(0)
    const text = readFileSync(registry, 'utf8')
    expect(text.match(/Router\)/g)).toHaveLength(2)
  })

  it('does not guess when a marker is doubled', async () => {
    const root = await createProject()
    const registry = join(root, 'src/routes.ts')
    const text = `${readFileSync(registry, 'utf8')}// </api:mounts>\n`
    writeFileSync(registry, text)
    expect((await api(root, 'doctor', '--fix')).code).toBe(4)
    expect(readFileSync(registry, 'utf8')).toBe(text)
  })
})

describe('api doctor', () => {
  it('names what is missing and mounted twice, with exit code 1', async () => {
    const root = await createProject(['posts'])
    const registry = join(root, 'src/routes.ts')
    const text = readFileSync(registry, 'utf8')
    writeFileSync(
      registry,
      text
        .replace('// </api:imports>', "import { a } from './gone.js'\n// </api:imports>")
        .replace(
          '// </api:mounts>',
          "routes.use('/api/posts', a)\nroutes.use('/b', b)\n// </api:mounts>",
        ),
    )
    mkdirSync(join(root, 'src/resources/tags'))
    writeFileSync(join(root, 'src/resources/tags/tags.routes.ts'), '')
    const { code, stdout } = await api(root, 'doctor')
    expect(code).toBe(1)
    expect(stdout).toContain('✗ src/routes.ts imports src/gone.ts, which is missing')
    expect(stdout).toContain('✗ /api/posts is mounted twice: postsRouter and a')
    expect(stdout).toContain('✗ b is mounted but not imported')
    expect(stdout).toContain('! the routes of tags are not mounted')
    expect(stdout).toContain('✗ @create-api/core is not installed')
  })

  it('suggests commands that can be pasted, whatever the name of a folder contains', async () => {
    const root = await createProject()
    const name = "it's $(touch x)"
    mkdirSync(join(root, 'src/resources', name), { recursive: true })
    writeFileSync(join(root, 'src/resources', name, `${name}.routes.ts`), '')
    const { stdout } = await api(root, 'doctor')
    expect(stdout).toContain(String.raw`api generate resource 'it'\''s $(touch x)'`)
  })

  it.each(['core', 'embedded-mongo'])('compares its version with that of %s', async (other) => {
    const root = await createProject()
    for (const name of ['core', 'embedded-mongo']) {
      const folder = join(root, 'node_modules/@create-api', name)
      mkdirSync(folder, { recursive: true })
      const installed = name === other ? '0.0.1' : version
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: installed }))
    }
    const { stdout } = await api(root, 'doctor')
    expect(stdout).toContain(`✗ create-api is ${version}, @create-api/${other} is 0.0.1`)
  })
})

describe('api info', () => {
  it('prints versions but no secret', async () => {
    const root = await createProject()
    const { code, stdout } = await api(root, 'info')
    expect(code).toBe(0)
    expect(stdout).toContain(process.version)
    expect(stdout).not.toContain(readFileSync(join(root, '.env'), 'utf8').split('=')[1]?.trim())
  })
})

describe('api completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await api('/', 'completion', shell)
    expect(code).toBe(0)
    for (const word of ['generate', 'resource', 'destroy', 'access']) expect(stdout).toContain(word)
  })

  it('completes in bash', async () => {
    const { stdout } = await api('/', 'completion', 'bash')
    const ask = (...words: string[]): string =>
      spawnSync('bash', [
        '-c',
        `${stdout}\nCOMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _api_completion; echo "\${COMPREPLY[@]}"`,
      ]).stdout.toString()
    expect(ask('api', 'gen')).toBe('generate\n')
    expect(ask('api', 'generate', 'res')).toBe('resource\n')
    expect(ask('api', 'generate', 'resource', 'posts', '--acc')).toBe('--access\n')
  })

  it('rejects other shells', async () => {
    expect((await api('/', 'completion', 'tcsh')).code).toBe(2)
  })
})
