import { expect, it } from 'vitest'
import { updateCalls } from './update-calls.ts'

const importOf = (names: string): string => `import { ${names} } from '@create-api/core/resource'\n`

it.each([
  [
    'createInScope',
    'await createInScope(PostModel, req.scope, { ...input })',
    'createDocument',
    'await createDocument(PostModel, { ...input }, { scope: req.scope })',
  ],
  [
    'createInScope',
    'createInScope(PostModel, scope, input)',
    'createDocument',
    'createDocument(PostModel, input, { scope })',
  ],
  [
    'findPage',
    'findPage(PostModel, { draft: false }, req.valid.query)',
    'findPage',
    'findPage(PostModel, req.valid.query, { scope: { draft: false } })',
  ],
  [
    'softDeleteDocument',
    'softDeleteDocument(PostModel, { _id: id }, { match, scope })',
    'deleteDocument',
    'deleteDocument(PostModel, { _id: id }, { match, scope })',
  ],
  [
    'restoreDocument',
    'restoreDocument(PostModel, { _id: id })',
    'restoreDocument',
    'restoreDocument(PostModel, { _id: id }, { scope: {} })',
  ],
  [
    'requireReferences',
    'requireReferences(PostModel, input, req.references)',
    'requireReferences',
    'requireReferences(PostModel, input, { references: req.references })',
  ],
])('brings a call of %s to its form today: %s', async (name, call, newName, newCall) => {
  const updated = await updateCalls(`${importOf(name)}export const a = ${call}\n`)
  expect(updated).toBe(`${importOf(newName)}export const a = ${newCall}\n`)
  expect(await updateCalls(updated)).toBe(updated)
})

it.each([
  `${importOf('findPage')}findPage(PostModel, query, options)\n`,
  `${importOf('findPage')}findPage(PostModel.find(), query)\n`,
  `${importOf('requireReferences')}requireReferences(PostModel, input)\n`,
  `${importOf('restoreDocument')}restoreDocument(PostModel, { _id: id }, { scope })\n`,
  "import { createInScope } from './mine.js'\ncreateInScope(a, b, c)\n",
  `${importOf('createInScope as create')}create(a, b, c)\n`,
  `${importOf('findPage')}<<<<<<< yours\n`,
])('leaves other code as it is: %j', async (text) => {
  expect(await updateCalls(text)).toBe(text)
})
