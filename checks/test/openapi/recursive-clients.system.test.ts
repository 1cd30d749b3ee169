import { createClient } from '@hey-api/openapi-ts'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { generateApi } from 'swagger-typescript-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeClient } from '../../../packages/cli/src/lib/client/write-client.ts'
import { api } from '../../../packages/core/test/openapi/recursive-api.ts'
import { findTypeErrors } from './type-errors.ts'

const run = promisify(execFile)
const document = (): string => JSON.stringify(api.openapi)
// `node scripts/check/clients.js` installs the generators for Python and Go.
const clients = path.resolve('checks/test/clients')
const python = path.join(clients, 'node_modules/.python')
const goGenerator = path.join(clients, 'node_modules/.go/oapi-codegen')
const hint = 'not installed, see scripts/check/clients.js'

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

// Reads three levels of a tree, whose types only a recursive declaration has, and the two forms of an article.
const read = `
export const names = (tree: Category): (string | undefined)[] => [
  tree.name,
  tree.children?.[0]?.name,
  tree.children?.[0]?.children?.[0]?.children?.[0]?.name.toUpperCase(),
]
// @ts-expect-error the name is text
export const wrong: Category = { name: 'a', children: [{ name: 'b', children: [{ name: 1 }] }] }
export const title = (article: Article, summary: ArticleSummary): string[] => [
  article.title,
  article.categories[0]?.children?.[0]?.name ?? '',
  summary.title,
]
`

it('openapi-typescript has the types of a recursive schema', async () => {
  await writeFile(path.join(folder, 'schema.ts'), astToString(await openapiTypescript(document())))
  const program = `import { type components } from './schema.ts'
type Category = components['schemas']['Category']
type Article = components['schemas']['Article']
type ArticleSummary = components['schemas']['ArticleSummary']
${read}`
  expect(await findErrors('typescript.ts', program)).toEqual([])
})

it('hey-api has the types of a recursive schema', async () => {
  await createClient({
    input: JSON.parse(document()),
    output: { path: path.join(folder, 'hey'), module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
  const program = `import { type Article, type ArticleSummary, type Category } from './hey/types.gen.ts'
${read}`
  expect(await findErrors('hey.ts', program)).toEqual([])
})

it('api client has the types of a recursive schema', async () => {
  const { text } = writeClient(JSON.parse(document()), 'api client')
  await writeFile(path.join(folder, 'client.ts'), text)
  const program = `import { type Article, type ArticleSummary, type Category } from './client.ts'
${read}`
  expect(await findErrors('own.ts', program)).toEqual([])
})

it('swagger-typescript-api has the types of a recursive schema', async () => {
  const { files } = await generateApi({ spec: JSON.parse(document()), output: false, silent: true })
  await writeFile(path.join(folder, 'swagger.ts'), files[0]?.fileContent ?? '')
  const program = `import { type Article, type ArticleSummary, type Category } from './swagger.ts'
${read}`
  expect(await findErrors('swagger-client.ts', program)).toEqual([])
})

// Reads the same, and the code of an error.
const pythonProgram = `
import json
from trees.api.articles import get_article
from trees.models.article import Article
from trees.models.article_summary import ArticleSummary
from trees.models.category import Category
from trees.models.not_found_problem import NotFoundProblem

tree = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
category = Category.from_dict(tree)
article = Article.from_dict({"id": "1", "title": "t", "categories": [tree], "chain": {"next": None}})
summary = ArticleSummary.from_dict({"id": "1", "title": "t"})
problem = {"type": "about:blank", "title": "t", "status": 404, "instance": "/", "code": "not_found", "requestId": "r"}
print(json.dumps([
  category.children[0].children[0].name,
  article.categories[0].children[0].name,
  summary.title,
  NotFoundProblem.from_dict(problem).code,
  category.to_dict() == tree,
]))
`

it('openapi-python-client has the types of a recursive schema', async ({ skip }) => {
  skip(!existsSync(path.join(python, 'openapi_python_client')), hint)
  await writeFile(path.join(folder, 'trees.json'), document())
  const options = ['--path', 'trees.json', '--meta', 'none', '--output-path', 'trees']
  const env = { ...process.env, PYTHONPATH: python, PATH: `${python}/bin:${process.env['PATH']}` }
  const generate = ['-m', 'openapi_python_client', 'generate', ...options]
  const generated = await run('python3', generate, { cwd: folder, env })
  expect(generated.stdout + generated.stderr).not.toContain('WARNING')
  await writeFile(path.join(folder, 'program.py'), pythonProgram)
  const { stdout } = await run('python3', ['program.py'], { cwd: folder, env })
  expect(JSON.parse(stdout)).toEqual(['c', 'b', 't', 'not_found', true])
})

const goProgram = `package main

import "fmt"

func main() {
	leaf := []Category{{Name: "c"}}
	tree := Category{Name: "a", Children: &[]Category{{Name: "b", Children: &leaf}}}
	article := Article{Title: "t", Categories: []Category{tree}}
	summary := ArticleSummary{Title: article.Title}
	fmt.Print((*(*article.Categories[0].Children)[0].Children)[0].Name, summary.Title)
}
`

it('oapi-codegen has the types of a recursive schema', async ({ skip }) => {
  skip(!existsSync(goGenerator), hint)
  const module = path.join(folder, 'go')
  await mkdir(module)
  for (const name of ['go.mod', 'go.sum']) {
    await copyFile(path.join(clients, name), path.join(module, name))
  }
  await writeFile(path.join(module, 'trees.json'), document())
  await writeFile(path.join(module, 'program.go'), goProgram)
  // Its own names end with Response, as names of the document do.
  const options = [
    '-generate',
    'types,client',
    '-package',
    'main',
    '-response-type-suffix',
    'Result',
  ]
  await run(goGenerator, [...options, '-o', 'trees.go', 'trees.json'], { cwd: module })
  const { stdout } = await run('go', ['run', '.'], { cwd: module })
  expect(stdout).toBe('ct')
})
