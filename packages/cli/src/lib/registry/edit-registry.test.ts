import { describe, expect, it } from 'vitest'
import { addMount, type Mount, removeMount, formatRegistryLines } from './edit-registry.ts'
import { RegistryProblem } from './read-registry.ts'

const posts: Mount = {
  router: 'postsRouter',
  specifier: './resources/posts/posts.routes.js',
  path: '/api/posts',
}
const tags: Mount = {
  router: 'tagsRouter',
  specifier: './resources/tags/tags.routes.js',
  path: '/api/tags',
}

const empty = `import { createRegistry } from '@create-api/core'
// <api:imports> keep this comment
// </api:imports>

export const routes = createRegistry()

// <api:mounts>
// </api:mounts>
`

const withPosts = `import { createRegistry } from '@create-api/core'
// <api:imports> keep this comment
import { postsRouter } from './resources/posts/posts.routes.js'
// </api:imports>

export const routes = createRegistry()

// <api:mounts>
routes.use('/api/posts', postsRouter)
// </api:mounts>
`

describe('addMount', () => {
  it('adds one import and one mount above the closing markers', async () => {
    expect(await addMount(empty, posts)).toEqual({ source: withPosts, imports: 1, mounts: 1 })
  })

  it('changes nothing the second time', async () => {
    const again = await addMount(withPosts, posts)
    expect(again).toEqual({ source: withPosts, imports: 0, mounts: 0 })
  })

  it('keeps the order in which resources were added', async () => {
    const { source } = await addMount(withPosts, tags)
    expect(source).toContain(
      "routes.use('/api/posts', postsRouter)\nroutes.use('/api/tags', tagsRouter)\n// </api:mounts>",
    )
  })

  it('keeps CRLF, a byte order mark, tabs and a missing final newline', async () => {
    const source = `\uFEFF${empty.replaceAll('\n', '\r\n').replaceAll('// ', '\t// ').trimEnd()}`
    const { source: edited } = await addMount(source, posts)
    expect(edited.startsWith('\uFEFFimport')).toBe(true)
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n')
    expect(edited).toContain("\troutes.use('/api/posts', postsRouter)\r\n\t// </api:mounts>")
    expect(edited.endsWith('// </api:mounts>')).toBe(true)
    expect((await removeMount(edited, posts)).source).toBe(source)
  })

  it('follows the quotes and semicolons of the file', async () => {
    const source = empty.replace("from '@create-api/core'", 'from "@create-api/core";')
    const { source: edited } = await addMount(source, posts)
    expect(edited).toContain('import { postsRouter } from "./resources/posts/posts.routes.js";\n')
    expect(edited).toContain('routes.use("/api/posts", postsRouter);\n')
  })

  it('finds an import with another quote, extension or place, and a wrapped mount', async () => {
    const source = `import { postsRouter } from "./resources/posts/posts.routes.ts"
${empty.replace(
  '// </api:mounts>',
  "routes.use(\n  '/api/posts',\n  postsRouter,\n)\n// </api:mounts>",
)}`
    expect(await addMount(source, posts)).toEqual({ source, imports: 0, mounts: 0 })
  })

  it('mounts an import that the user renamed under its own name', async () => {
    const source = empty.replace(
      '// </api:imports>',
      "import { postsRouter as articles } from './resources/posts/posts.routes.js'\n// </api:imports>",
    )
    const edit = await addMount(source, posts)
    expect(edit).toMatchObject({ imports: 0, mounts: 1 })
    expect(edit.source).toContain("routes.use('/api/posts', articles)")
  })

  it('uses the name the file gives its registry', async () => {
    const source = empty.replace('export const routes', 'export const everything')
    const { source: edited } = await addMount(source, posts)
    expect(edited).toContain("everything.use('/api/posts', postsRouter)")
  })

  it('accepts block comments as markers and code before them', async () => {
    const source = empty
      .replace('// <api:mounts>', '/* <api:mounts> */')
      .replace('// </api:mounts>', 'void 0 /* </api:mounts> here */')
    const { source: edited } = await addMount(source, posts)
    expect(edited).toContain(
      "void 0 \nroutes.use('/api/posts', postsRouter)\n/* </api:mounts> here */",
    )
  })

  it('ends its statement when the next line would continue it', async () => {
    const { source } = await addMount(`${empty}\n// next\n;[1].map(String)\n`, posts)
    expect(source).toContain("routes.use('/api/posts', postsRouter)\n")
    const dangerous = await addMount(`${empty}\n// next\n[1].map(String)\n`, posts)
    expect(dangerous.source).toContain("routes.use('/api/posts', postsRouter);\n")
  })

  it('wraps a mount that is longer than a line', async () => {
    const long = { ...posts, path: `/api/${'long-'.repeat(16)}posts` }
    const { source } = await addMount(empty, long)
    expect(source).toContain(`routes.use(\n  '${long.path}',\n  postsRouter,\n)\n`)
    expect((await removeMount(source, long)).source).toBe(empty)
  })

  it.each([
    ['// <api:imports> keep this comment\n', '', 'has no "// <api:imports>" marker'],
    ['// </api:mounts>\n', '', 'has no "// </api:mounts>" marker'],
    ['// <api:mounts>', '// <api:mounts>\n// <api:mounts>', 'has more than one "// <api:mounts>"'],
    ['// <api:mounts>\n// </api:mounts>', '// </api:mounts>\n// <api:mounts>', 'before'],
    ['createRegistry()', 'createRegistry(', 'does not parse'],
    ['createRegistry()', 'createRegistry()\nconst postsRouter = 1', 'already uses the name'],
    [
      'import { createRegistry }',
      "import { postsRouter } from './other.js'\nimport { createRegistry }",
      'already uses',
    ],
  ])('refuses a file where %j became %j', async (from, to, message) => {
    const broken = empty.replace(from, to)
    expect(broken).not.toBe(empty)
    const error = await addMount(broken, posts).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RegistryProblem)
    expect(String(error)).toContain(message)
  })

  it('does not take a string or a nested comment for a marker', async () => {
    const source = `${empty}const text = '// </api:mounts>'\n/* see // </api:mounts> */\n`
    expect((await addMount(source, posts)).mounts).toBe(1)
  })
})

describe('removeMount', () => {
  it('is the exact inverse of addMount', async () => {
    expect(await removeMount(withPosts, posts)).toEqual({ source: empty, imports: 1, mounts: 1 })
  })

  it('changes nothing when the router is not there', async () => {
    expect(await removeMount(withPosts, tags)).toEqual({
      source: withPosts,
      imports: 0,
      mounts: 0,
    })
  })

  it('removes one name from an import that has several', async () => {
    const source = empty.replace(
      '// </api:imports>',
      "import { first, postsRouter } from './resources/posts/posts.routes.js'\n// </api:imports>",
    )
    const { source: edited } = await removeMount(source, posts)
    expect(edited).toContain("import { first } from './resources/posts/posts.routes.js'")
    const before = source.replace('first, postsRouter', 'postsRouter, first')
    expect((await removeMount(before, posts)).source).toContain('import { first } from')
  })

  it('leaves other code on the same line alone', async () => {
    const source = withPosts.replace(
      "routes.use('/api/posts', postsRouter)",
      "void 1; routes.use('/api/posts', postsRouter); void 2",
    )
    expect((await removeMount(source, posts)).source).toContain('void 1;  void 2')
  })

  it('GEN-06: keeps a marker in front of a line that begins with a semicolon', async () => {
    const source = empty
      .replace('</api:imports>\n', '</api:imports>\n;[1].map(String)\n')
      .concat(';[2].map(String)\n')
    const { source: edited } = await addMount(source, posts)
    expect((await removeMount(edited, posts)).source).toBe(source)
  })

  it('keeps the markers of a file without semicolons', async () => {
    const { source } = await removeMount((await addMount(withPosts, tags)).source, tags)
    expect(source).toBe(withPosts)
  })
})

describe('formatRegistryLines', () => {
  it('gives the lines to paste by hand', () => {
    expect(formatRegistryLines(posts)).toEqual([
      "import { postsRouter } from './resources/posts/posts.routes.js'",
      "routes.use('/api/posts', postsRouter)",
    ])
  })
})
