import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import {
  commitAll,
  earlierCommits,
  git,
  readEarlier,
  unpackEarlier,
} from './earlier-projects/unpack.ts'
import { readTree, runProgram } from './run-program.ts'

// For a longer run: UPGRADE_RUNS=300 npx vitest run packages/cli/test/upgrade-properties.system.test.ts
const numRuns = Number(process.env['UPGRADE_RUNS'] ?? 12)

// Most edits are of lines.
const kinds = 'insert insert insert replace replace remove swap move crlf'.split(' ')

interface Edit {
  readonly kind: string
  readonly file: number
  readonly at: number
}

const edits = array(
  record<Edit>({ kind: constantFrom(...kinds), file: nat(1000), at: nat(10_000) }),
  { minLength: 1, maxLength: 25 },
)

// Invalid settings are refused before anything else.
function isEditable(path: string): boolean {
  return !path.startsWith('.api/') && path !== 'api.config.json'
}

// Edits as a user makes them; every written line is unique. Returns the lines.
function applyEdits(root: string, paths: string[], list: readonly Edit[]): readonly string[] {
  const written: string[] = []
  for (const [number, edit] of list.entries()) {
    const index = edit.file % paths.length
    const path = paths[index] ?? ''
    const file = join(root, path)
    if (edit.kind === 'move') {
      const moved = path.replace(/([^/]+)$/, `moved-${number}-$1`)
      renameSync(file, join(root, moved))
      paths[index] = moved
      continue
    }
    const text = readFileSync(file, 'utf8')
    if (edit.kind === 'crlf') {
      writeFileSync(file, text.replaceAll(/\r?\n/g, '\r\n'))
      continue
    }
    const lines = text.split('\n')
    const at = edit.at % lines.length
    // Valid in code and in the JSON files with comments.
    const line = `// user ${number}: ${'x'.repeat(edit.at % 40)}`
    if (edit.kind === 'insert') lines.splice(at, 0, line)
    if (edit.kind === 'replace') lines[at] = line
    if (edit.kind === 'remove') lines.splice(at, 1 + (edit.at % 4))
    if (edit.kind === 'swap') lines.push(...lines.splice(at, 2))
    if (edit.kind === 'insert' || edit.kind === 'replace') written.push(line)
    writeFileSync(file, lines.join('\n'))
  }
  const all = [...readTree(root).values()].join('\n')
  // A later edit may have removed the line of an earlier one.
  return written.filter((line) => all.includes(line))
}

function count(root: string, line: string): number {
  const lines = [...readTree(root)]
    .filter(([path]) => !path.startsWith('.api/'))
    .flatMap(([, text]) => text.split(/\r?\n/))
  return lines.filter((other) => other === line).length
}

it.each(['', '--ours'])(
  'api upgrade %s loses no line of the user, whatever was edited',
  { timeout: 3_600_000 },
  async (flag) => {
    await assert(
      asyncProperty(constantFrom(...earlierCommits), edits, async (commit, list) => {
        const root = unpackEarlier(commit)
        try {
          const paths = Object.keys(readEarlier(commit)).filter(isEditable)
          const written = applyEdits(root, paths, list)
          commitAll(root)
          const args = ['upgrade', ...(flag === '' ? [] : [flag])]
          const { code, stderr, stdout } = await runProgram(createApiProgram, args, { cwd: root })
          expect({ code, stderr: [0, 3].includes(code) ? '' : stderr }).toMatchObject({
            stderr: '',
          })
          const isMarked = [...readTree(root).values()].some((text) => /^<<<<<<< yours/m.test(text))
          expect(code).toBe(isMarked ? 3 : 0)
          for (const line of written)
            expect({ line, count: count(root, line) }).toEqual({ line, count: 1 })
          commitAll(root)
          const again = await runProgram(createApiProgram, ['upgrade'], { cwd: root })
          expect({
            first: stdout,
            again: again.code,
            diff: git(root, 'status', '--porcelain'),
          }).toEqual({
            first: stdout,
            again: 0,
            diff: '',
          })
        } finally {
          rmSync(root, { recursive: true, force: true })
        }
      }),
      { numRuns, endOnFailure: numRuns > 50 },
    )
  },
)
