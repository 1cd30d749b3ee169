import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as core from '@create-api/core'
import { createMetrics } from '@create-api/core/metrics'
import { createTestClient } from '@create-api/core/testing'
import { expect, it } from 'vitest'

const folder = import.meta.dirname
const text = await readFile(path.join(folder, '../../../docs/observability.md'), 'utf8')

function firstColumn(block: string): string[] {
  const [, rows = ''] =
    new RegExp(`<!-- ${block} -->([\\s\\S]*?)<!-- /${block} -->`).exec(text) ?? []
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
}

it('docs/observability.md lists every metric of the framework', async () => {
  const token = 'a-token-of-the-scraper'
  const api = core.createApi({
    routes: core.createRegistry(),
    environment: 'test',
    metrics: createMetrics({ token }),
  })
  const client = await createTestClient(api)
  const response = await client.request.get('/metrics').set('Authorization', `Bearer ${token}`)
  await client.stop()
  const names = [...response.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  const own = names.filter((name) => !/^(?:process|nodejs)_/.test(name))
  expect(firstColumn('metrics').toSorted()).toEqual(own.toSorted())
})

it('docs/observability.md lists every field of the access log', async () => {
  const source = await readFile(
    path.join(folder, '../../../packages/core/src/lib/http/access-log.ts'),
    'utf8',
  )
  const [body = ''] = /function toJson\([\s\S]*?\n\}/.exec(source) ?? []
  const found = body.matchAll(/"(\w+)":|textField\('(\w+)'/g)
  const fields = Array.from(found, ([, written, named]) => written ?? named ?? '')
  expect(fields.length).toBeGreaterThan(10)
  expect(firstColumn('access-log').toSorted()).toEqual(fields.toSorted())
})

it('docs/observability.md shows the instrumentation that the tests of traces run', async () => {
  const file = await readFile(path.join(folder, 'instrumentation.ts'), 'utf8')
  const run = file
    .replaceAll(/^(?:\/\/|\/\*\*).*\n/gm, '')
    .replace('export const', 'const')
    .replaceAll('InMemorySpanExporter', 'ConsoleSpanExporter')
  const shown = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
  expect(shown).toContain(run)
})

it('docs/observability.md imports names that exist', async () => {
  const imports = [...text.matchAll(/import \{ (.*?) \} from '(@create-api\/core[/a-z]*)'/g)]
  expect(imports.length).toBeGreaterThan(1)
  for (const [, names = '', specifier = ''] of imports) {
    const entry: unknown = await import(specifier)
    for (const name of names.split(', ')) expect(entry).toHaveProperty(name)
  }
})
