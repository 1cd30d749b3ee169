import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import nodePath from 'node:path'
import { type Api } from '@create-api/core'
import { createTestClient } from '@create-api/core/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { describe, expect, it } from 'vitest'
import { type Exchange } from '../realworld/run-steps.ts'
import { findTypeErrors } from './type-errors.ts'
import { testConduit } from '../../../examples/own-shapes/src/conduit-tests.ts'

// Its types of users are its own: a compiler that reads it would have them for all tests.
const app = '../../../examples/own-shapes/src/with-core/app.ts'
const { api }: { readonly api: Api } = await import(app)
const recorded: Exchange[] = []

testConduit(
  () => createTestClient(api),
  (exchange) => recorded.push(exchange),
)

type Json = Readonly<Record<string, unknown>>

const document: Json = Object(api.openapi)
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function at(value: unknown, ...path: string[]): Json {
  const found = path.reduce<unknown>((below, key) => Object(below)[key], value)
  const { $ref: reference } = Object(found)
  if (typeof reference !== 'string') return Object(found)
  return at(document, ...reference.slice(2).split('/'))
}

function findFault({ method, path, status, type, body }: Exchange): string | undefined {
  const template = Object.keys(at(document, 'paths')).find(
    (known) =>
      new RegExp(`^${known.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u').test(path) &&
      method.toLowerCase() in at(document, 'paths', known),
  )
  if (template === undefined) return status === 404 ? undefined : 'no operation'
  const response = at(
    document,
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    String(status),
  )
  if (Object.keys(response).length === 0) return `${template} has no status ${status}`
  if (body === undefined) return 'content' in response ? 'no body' : undefined
  const { schema } = at(response, 'content', type)
  if (schema === undefined) return `${template} does not return ${type} with ${status}`
  const validate = ajv.compile({ ...Object(schema), components: document['components'] })
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}

// What a front end would write.
const program = `
import createClient from 'openapi-fetch'
import { type paths } from './schema.ts'

const client = createClient<paths>({ baseUrl: 'http://localhost', headers: { Authorization: 'Token x' } })

export async function run(slug: string): Promise<string | undefined> {
  const { data } = await client.GET('/api/articles', { params: { query: { tag: 'a', offset: 20 } } })
  const count: number | undefined = data?.articlesCount
  const article = await client.GET('/api/articles/{slug}', { params: { path: { slug } } })
  const author: string | undefined = article.data?.article.author.username
  const comment = await client.POST('/api/articles/{slug}/comments', {
    params: { path: { slug } },
    body: { comment: { body: 'Hello' } },
  })
  const id: number | undefined = comment.data?.comment.id
  const [message] = comment.error?.errors['body'] ?? []
  return [count, author, id, message].join()
}
`

describe('the document of examples/own-shapes', () => {
  it('describes every response of its tests', () => {
    expect(recorded.length).toBeGreaterThan(80)
    const faults = recorded.map((exchange) => [exchange, findFault(exchange)])
    expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([])
  })

  it('gives a client whose types are those of the example', async () => {
    const folder = await mkdtemp(nodePath.join(os.tmpdir(), 'own-shapes-'))
    await symlink(nodePath.resolve('checks/node_modules'), nodePath.join(folder, 'node_modules'))
    await writeFile(nodePath.join(folder, 'package.json'), '{"type":"module"}')
    const types = astToString(await openapiTypescript(JSON.stringify(document)))
    await writeFile(nodePath.join(folder, 'schema.ts'), types)
    const check = async (text: string): Promise<string[]> => {
      const file = nodePath.join(folder, 'client.ts')
      await writeFile(file, text)
      return findTypeErrors(file, { exactOptionalPropertyTypes: true })
    }
    expect(await check(program)).toEqual([])
    expect(await check(program.replace('author.username', 'author.name'))).not.toEqual([])
    await rm(folder, { recursive: true })
  })
})
