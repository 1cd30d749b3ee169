import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { catalogue } from '../src/lib/errors/cli-error.ts'
import { listErrors } from '../src/lib/explain/errors.ts'
import { findNamed } from '../src/lib/explain/explanation.ts'
import { listOptions } from '../src/lib/explain/options.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createTemporaryFolder, type Result, runProgram } from './run-program.ts'

function explain(...words: string[]): Promise<Result> {
  return runProgram(createApiProgram, ['explain', ...words], { cwd: createTemporaryFolder() })
}

async function explainAsJson(...words: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await explain(...words, '--json')).stdout)
}

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

describe('api explain, outside a project', () => {
  it('prints what the page says about an error code, in any case', async () => {
    const { code, stderr, stdout } = await explain('VALIDATION_FAILED')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [title, ...rows] = stdout.trimEnd().split('\n')
    expect(title).toBe('validation_failed, status 422')
    expect(rows.map((row) => row.replace(/(docs +).*\/docs\//, '$1docs/'))).toEqual([
      '  title       The request is not valid.',
      '  cause       The body was parsed but does not match its schema.',
      '  remedy      Correct the fields in errors.',
      '  example     {"title":1}',
      '  docs        docs/errors.md#codes',
    ])
    expect(await explainAsJson('validation_failed')).toMatchObject({
      ok: true,
      command: 'explain',
      name: 'validation_failed',
      found: [{ kind: 'error', code: 'validation_failed', status: 422, page: 'errors.md#codes' }],
    })
  })

  it('explains each code of the table', () => {
    const codes = ['errors.md', 'sign-in.md'].flatMap((name) =>
      Array.from(page(name).matchAll(/^\| `(\w+)` +\| \d/gm), ([, code]) => code),
    )
    const errors = listErrors()
    expect(errors.flatMap(({ names }) => names)).toEqual(codes)
    for (const { facts } of errors) {
      expect(Object.values(facts)).not.toContain('')
      expect(Object.values(facts)).toHaveLength(4)
    }
  })

  it('explains each code of the command line, beside one of a response with the same name', async () => {
    for (const [code, exit] of Object.entries(catalogue)) {
      const { found } = await explainAsJson(code)
      expect(found).toContainEqual(
        expect.objectContaining({ kind: 'command-error', code, exit, meaning: expect.any(String) }),
      )
    }
    expect((await explainAsJson('conflict'))['found']).toHaveLength(2)
  })

  it('explains an option, its variable, and the last part of its path', async () => {
    const { found } = await explainAsJson('rateLimit.limit')
    expect(found).toEqual([
      {
        kind: 'option',
        option: 'rateLimit.limit',
        variable: 'RATE_LIMIT',
        type: 'number | false',
        default: '300',
        meaning: 'Requests allowed for each client in a window; off for no limit.',
        page: 'configuration.md#variables-and-options',
      },
    ])
    expect((await explainAsJson('rate_limit'))['found']).toEqual(found)
    expect((await explainAsJson('refreshLeeway'))['found']).toEqual(
      (await explainAsJson('auth.refreshLeeway'))['found'],
    )
  })

  it('knows each variable of the configuration, and options of each level', () => {
    const variables = Array.from(
      page('configuration.md').matchAll(/^\| `([A-Z_0-9]+)` /gm),
      ([, name = '']) => name,
    )
    const options = listOptions()
    const names = options.flatMap((one) => one.names)
    expect(variables.length).toBeGreaterThan(40)
    expect(variables.filter((name) => findNamed(options, name).length !== 1)).toEqual([])
    for (const name of ['cors', 'auth.password.minLength', 'auth.mail.resetPath', 'errors.format'])
      expect(names).toContain(name)
    // What an option leaves out of its type.
    for (const name of ['errors.logger', 'body.types', 'health.isDraining'])
      expect(names).not.toContain(name)
  })

  it('suggests the closest names of each kind', async () => {
    const { code, stderr } = await explain('rateLimit.limits')
    expect(code).toBe(2)
    expect(stderr).toBe(
      'error: nothing is called "rateLimit.limits"\n  did you mean "rateLimit.limit"?\n',
    )
    expect((await explain('rate_limitd')).stderr).toContain('"rate_limited" or "RATE_LIMIT"')
    const unknown = await explain('qqqqqqqqqqqqqqqq')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain(
      'expected an error code, or an option or variable of createApi',
    )
  })
})
