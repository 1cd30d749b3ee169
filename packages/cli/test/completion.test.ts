import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { runProgram } from './run-program.ts'

// The input so far, and the expected completions.
const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['api a', ['add']],
  ['api add f', ['field']],
  ['api add field posts --no-m', ['--no-migration']],
  ['api remove field posts --sk', ['--skip-edited']],
  ['api env --', ['--check', '--write']],
  ['api openapi --', ['--check', '--write']],
  ['api routes --', ['--access', '--method', '--path', '--verify']],
  ['api generate res', ['resource']],
]

const scripts: Record<string, string> = {}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { stdout } = await runProgram(createApiProgram, ['completion', shell], { cwd: '/' })
    scripts[shell] = stdout
  }
})

function has(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0
}

function run(shell: string, flag: string, code: string): readonly string[] {
  const { stderr, stdout } = spawnSync(shell, [flag, `${scripts[shell]}\n${code}`])
  expect(stderr.toString()).toBe('')
  return stdout.toString().trim().split(/\s+/)
}

describe('api completion', () => {
  it.each(cases)('completes %s in bash', (line, offered) => {
    const words = line.split(' ')
    const code = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _api_completion; echo "\${COMPREPLY[@]}"`
    expect(run('bash', '-c', code)).toEqual(expect.arrayContaining([...offered]))
  })

  it.runIf(has('zsh')).each(cases)('completes %s in zsh', (line, offered) => {
    const words = line.split(' ')
    const { stdout } = spawnSync('zsh', [
      '-fc',
      // Outside of a completion there are no widgets: what would be offered is printed.
      `compdef() { :; }\ncompadd() { shift; print -- "$@"; }\n${scripts['zsh']}\nwords=(${line}) CURRENT=${words.length}\n_api_completion`,
    ])
    expect(stdout.toString().trim().split(/\s+/)).toEqual(expect.arrayContaining([...offered]))
  })

  it.runIf(has('fish')).each(cases)('completes %s in fish', (line, offered) => {
    const found = run('fish', '-c', `complete -C '${line}'`)
    expect(found).toEqual(expect.arrayContaining([...offered]))
  })

  it.each(cases)('completes %s in PowerShell', (line, offered) => {
    const path = line.replace(/ (--\S*|\w*)$/, '').replace(/ posts$/, '')
    const entry = scripts['powershell']?.split('\n').find((text) => text.includes(`"${path}*"`))
    for (const word of offered) expect(entry).toContain(word)
  })
})
