import { createClient } from '@hey-api/openapi-ts'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeClient } from '../../../packages/cli/src/lib/client/write-client.ts'
import { api } from '../../../packages/core/test/openapi/recursive-api.ts'
import { findTypeErrors } from './type-errors.ts'

const clientSource = path.resolve('packages/client/src/index.ts')

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recursive-'))
  await symlink(path.resolve('checks/node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function findErrors(name: string, code: string): Promise<string[]> {
  const file = path.join(folder, name)
  await writeFile(file, code)
  return findTypeErrors(file, { paths: { '@create-api/client': [clientSource] } })
}

// Reads three levels of a tree, whose types only a recursive declaration has.
const read = `
export const names = (tree: Category): (string | undefined)[] => [
  tree.name,
  tree.children?.[0]?.name,
  tree.children?.[0]?.children?.[0]?.children?.[0]?.name.toUpperCase(),
]
// @ts-expect-error the name is text
export const wrong: Category = { name: 'a', children: [{ name: 'b', children: [{ name: 1 }] }] }
`

it('openapi-typescript has the types of a recursive schema', async () => {
  const document = JSON.parse(JSON.stringify(api.openapi))
  await writeFile(path.join(folder, 'schema.ts'), astToString(await openapiTypescript(document)))
  const program = `import { type components } from './schema.ts'
type Category = components['schemas']['Category']
${read}`
  expect(await findErrors('typescript.ts', program)).toEqual([])
})

it('hey-api has the types of a recursive schema', async () => {
  await createClient({
    input: JSON.parse(JSON.stringify(api.openapi)),
    output: { path: path.join(folder, 'hey'), module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
  const program = `import { type Category } from './hey/types.gen.ts'
${read}`
  expect(await findErrors('hey.ts', program)).toEqual([])
})

it('api client has the types of a recursive schema', async () => {
  const { text } = writeClient(JSON.parse(JSON.stringify(api.openapi)), 'api client')
  await writeFile(path.join(folder, 'client.ts'), text)
  const program = `import { type Category } from './client.ts'
${read}`
  expect(await findErrors('own.ts', program)).toEqual([])
})
