import { expect, it } from 'vitest'
import { addOption, createLinkedProject, runGeneratedTests } from './linked-project.ts'

// Each of these replaces something that a new project has.
const options = [
  "errors: { format: ({ status }) => ({ body: { errors: { status } }, contentType: 'application/json' }) }",
  'auth: false',
  'openapi: false',
  "auth: { routes: { path: '/id' } }",
  'auth: { routes: false }',
  'health: false',
  'auth: false, database: false',
]

it.each(options)('the generated test passes with %s', { timeout: 120_000 }, async (option) => {
  const root = await createLinkedProject()
  addOption(root, option)
  runGeneratedTests(root)
  expect.hasAssertions()
})
