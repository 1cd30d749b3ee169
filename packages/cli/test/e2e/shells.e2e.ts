import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../../src/lib/programs/create-program.ts'
import { quoteForShell } from '../../src/lib/terminal/quote-for-shell.ts'
import { createTemporaryFolder, runProgram } from '../run-program.ts'

const shells = [
  ['bash', '--norc', '-c'],
  ['zsh', '-fc'],
  ['fish', '-Nc'],
  ['dash', '-c'],
].filter(([name = '']) => spawnSync(name, ['-c', 'true']).status === 0)

// Says what it was given, whatever its name.
const echo = `#!${process.execPath}
process.stdout.write(JSON.stringify(process.argv.slice(2)))
`

function pasteInto(shell: readonly string[], line: string): readonly string[] {
  const bin = createTemporaryFolder()
  for (const name of ['npx', 'npm', 'curl']) {
    writeFileSync(join(bin, name), echo)
    chmodSync(join(bin, name), 0o755)
  }
  const [program = '', ...args] = shell
  const path = [bin, process.env['PATH']].join(delimiter)
  const env = { PATH: path, HOME: bin }
  return JSON.parse(execFileSync(program, [...args, line], { env, cwd: bin }).toString())
}

async function collectLines(): Promise<readonly string[]> {
  const cwd = createTemporaryFolder()
  const quick = ['--yes', '--no-install', '--no-git']
  const resource = 'posts title:string "note:string:default=to do"'
  mkdirSync(join(cwd, "it's $HOME"))
  const odd = ["it's $HOME/svc", '--resource', resource, ...quick]
  const made = await runProgram(createProjectProgram, odd, { cwd })
  expect(made.code).toBe(0)
  const again = /without prompts: (.*)/.exec(made.stdout)?.[1] ?? ''
  expect(again).toMatch(/^npx /)
  const root = join(cwd, "it's $HOME/svc")
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const documented = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  const helps = await Promise.all(
    [
      ['generate', 'resource'],
      ['add', 'field'],
    ].map((command) => runProgram(createApiProgram, [...command, '--help'], { cwd: root })),
  )
  const notes = await runProgram(createApiProgram, ['g', 'resource', 'tags', 'of:ref:Zoo'], {
    cwd: root,
  })
  const printed = [...helps.map(({ stdout }) => stdout), notes.stderr].join('\n').split('\n')
  const examples = printed.map((line) => line.trim()).filter((line) => /^npx .*api /.test(line))
  expect(examples.length).toBeGreaterThanOrEqual(6)
  return [again, ...documented, ...examples]
}

describe('what is printed can be pasted', () => {
  it('and means the same in every shell', async () => {
    const lines = await collectLines()
    expect(lines.length).toBeGreaterThan(12)
    for (const line of lines) {
      const [first = [], ...others] = shells.map((shell) => pasteInto(shell, line))
      for (const other of others) expect([line, other]).toEqual([line, first])
      // Nothing was expanded: what a shell leaves alone is what is written.
      if (!/['"#]/.test(line)) expect(first).toEqual(line.split(' ').slice(1))
    }
  })

  it.each(["it's", 'a b', '$HOME', '`id`', '*', 'a"b', '~', '[x]', '{a,b}', '!!', '#', ''])(
    'quotes %j',
    (text) => {
      for (const shell of shells) {
        expect(pasteInto(shell, `npx ${quoteForShell(text)}`)).toEqual([text])
      }
    },
  )
})
