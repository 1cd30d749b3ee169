import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  writeClient,
  type WrittenClient,
} from '../../../packages/cli/src/lib/client/write-client.ts'
import { formatCode } from '../../../packages/cli/src/lib/code/prettier.ts'
import { findTypeErrors } from '../openapi/type-errors.ts'

const require = createRequire(import.meta.url)
const strict = { exactOptionalPropertyTypes: true, customConditions: ['@create-api/source'] }

let folder: string
let url: string
let received: string[]

const server = createServer((req, res) => {
  req.setEncoding('utf8')
  let body = ''
  req.on('data', (chunk) => (body += chunk))
  req.on('end', () => {
    const [type = ''] = (req.headers['content-type'] ?? '').split(';')
    const files = type === 'multipart/form-data' ? [...body.matchAll(/ name="(\w+)"/g)] : []
    const sent = files.length > 0 ? files.map(([, name]) => name).join() : body
    received.push([req.method, decodeURI(req.url ?? ''), type, sent].filter(Boolean).join(' '))
    const fails = req.url?.includes('404')
    res.writeHead(fails ? 404 : 200, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ data: { name: 'x' }, title: 'There is none' }))
  })
})

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'foreign-clients-'))
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

function read(name: string): WrittenClient {
  const file = require.resolve(`@readme/oas-examples/${name}.json`)
  return writeClient(JSON.parse(readFileSync(file, 'utf8')), 'npx create-api client')
}

async function write(name: string, program: string) {
  const client = read(name)
  const file = path.join(folder, `${path.basename(name)}.ts`)
  writeFileSync(file, (await formatCode(client.text)) ?? '')
  const use = path.join(folder, `use-${path.basename(name)}.ts`)
  writeFileSync(use, `import { createClient } from './${path.basename(name)}.ts'\n${program}`)
  return { ...client, file, use }
}

// What each program does has to be what the document says, for the compiler and for the service.
const programs = [
  {
    title: 'the Swagger Petstore (3.0)',
    name: '3.0/json/petstore',
    operations: 20,
    program: `
export async function run(url: string) {
  const { pet, store, user } = createClient({ url, retries: 0 })
  await pet.addPet({ name: 'Rex', photoUrls: [], status: 'available' })
  await pet.findPetsByStatus({ status: ['available', 'sold'] })
  const { name } = await pet.get(7)
  await pet.updatePetWithForm(7, { name: 'Rex & Co' })
  await pet.uploadFile(7, { file: new Blob(['x']) })
  await pet.delete({ petId: 7 }, { headers: { api_key: 'k' } })
  await user.loginUser({ username: 'a b', password: 'c' })
  const missing = await store.getOrderById(404).safe()
  return [name, missing.ok ? '' : missing.error.code]
}`,
    sent: [
      'POST /pet application/json {"name":"Rex","photoUrls":[],"status":"available"}',
      'GET /pet/findByStatus?status=available&status=sold',
      'GET /pet/7',
      'POST /pet/7 application/x-www-form-urlencoded name=Rex+%26+Co',
      'POST /pet/7/uploadImage multipart/form-data file',
      'DELETE /pet/7',
      'GET /user/login?username=a b&password=c',
      'GET /store/order/404',
    ],
    result: [undefined, 'http_404'],
  },
  {
    title: 'the data sets of the USPTO (3.0)',
    name: '3.0/json/uspto',
    operations: 3,
    program: `
export async function run(url: string) {
  const { metadata, search } = createClient({ url, retries: 0 })
  await metadata.listDataSets()
  await metadata.listSearchableFields('oa_citations', 'v1')
  await search.performSearch('oa_citations', 'v1', { criteria: '*:*', rows: 5 })
  return []
}`,
    sent: [
      'GET /',
      'GET /oa_citations/v1/fields',
      'POST /oa_citations/v1/records application/x-www-form-urlencoded criteria=*%3A*&rows=5',
    ],
    result: [],
  },
  {
    title: 'the API of ReadMe (3.1)',
    name: '3.1/json/readme',
    operations: 54,
    program: `
export async function run(url: string) {
  const { branches, categories, customPages, images } = createClient({ url, retries: 0 })
  await branches.list({ page: 2, per_page: 5 })
  await categories.patch('v1', 'guides', 'Start', { title: 'Begin' })
  const { title } = await customPages.get('v1', 'about')
  await images.create({ file: new Blob(['x']) })
  return [title]
}`,
    sent: [
      'GET /branches?page=2&per_page=5',
      'PATCH /branches/v1/categories/guides/Start application/json {"title":"Begin"}',
      'GET /branches/v1/custom_pages/about',
      'POST /images multipart/form-data file',
    ],
    result: [undefined],
  },
]

describe.each(programs)('the client of $title', ({ name, operations, program, result, sent }) => {
  it('has all operations, compiles and sends what the document says', async () => {
    const client = await write(name, program)
    expect(client.omissions).toEqual([])
    expect(client.operations).toBe(operations)
    expect(findTypeErrors(client.use, strict)).toEqual([])
    received = []
    const { run } = await import(/* @vite-ignore */ client.use)
    expect(await run(url)).toEqual(result)
    expect(received).toEqual(sent)
  })
})

it.each([
  [
    '3.0/json/parameters-style',
    'query parameter object of query_standard',
    'it is an object with the style form',
  ],
  [
    '3.0/json/parameters-style',
    'GET /anything/path/label/{primitive}/{array}/{object}',
    'the path parameter primitive has the style label',
  ],
  [
    '3.0/json/parameters-cookies',
    'cookie parameter foo of post /post',
    'cookies are set by the browser',
  ],
  [
    '3.0/json/parameters-common',
    'GET /anything/{id}/{action}/{id}',
    'the path parameter id is repeated',
  ],
  ['3.0/json/file-uploads', 'POST /anything/image-png', 'its body is image/png'],
  ['3.1/json/petstore', 'POST /pet/{petId}/uploadImage', 'its body is application/octet-stream'],
])('what %s has and the client does not is named: %s', async (name, what, why) => {
  const { file, omissions } = await write(name, '')
  expect(omissions).toContainEqual({ what, why })
  expect(findTypeErrors(file, strict)).toEqual([])
})
