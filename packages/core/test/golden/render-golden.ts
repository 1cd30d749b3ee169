import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Model, type Types } from 'mongoose'
import { renderResource } from '../../../cli/src/lib/resource/render-resource.ts'
import { resolveRequest } from '../../../cli/src/lib/resource/resolve-request.ts'
import { parseConfig } from '../../../cli/src/lib/project/config.ts'
import { type Api } from '../../src/index.ts'

interface Post {
  readonly title: string
  readonly body: string
  readonly published: boolean
  readonly owner?: Types.ObjectId
}

export interface GoldenProject {
  readonly api: Api
  readonly PostModel: Model<Post>
}

const files = {
  'app.ts': `import { createApi } from '@create-api/core'
import { routes } from './routes.js'

export const api = createApi({ name: 'golden', routes })
`,
  'routes.ts': `import { createRegistry } from '@create-api/core'
import { postsRouter } from './resources/posts/posts.routes.js'

export const routes = createRegistry()

routes.use('/api/posts', postsRouter)
`,
}

/** Generates the resource `posts` and loads an app with it. */
export async function renderGolden(access: 'public' | 'owner'): Promise<GoldenProject> {
  // Inside the repository, where its imports resolve.
  const root = mkdtempSync(join(import.meta.dirname, `.${access}-`))
  const project = {
    root,
    config: parseConfig('{}'),
    manifest: { version: 1, cli: '0.0.0', template: 'default', resources: {} },
    dependencies: {},
  } as const
  const fields = ['title:string', 'body:text', 'published:boolean:default=false']
  const { parts, resource } = resolveRequest(project, { name: 'posts', fields, access })
  try {
    const rendered = await renderResource(project, resource, parts)
    const sources = rendered.map(({ path, text }) => [path.replace('src/', ''), text] as const)
    for (const [path, text] of [...Object.entries(files), ...sources]) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const { api }: Pick<GoldenProject, 'api'> = await import(join(root, 'app.ts'))
    const { PostModel }: Pick<GoldenProject, 'PostModel'> = await import(
      join(root, 'resources/posts/posts.model.ts')
    )
    return { api, PostModel }
  } finally {
    rmSync(root, { recursive: true })
  }
}
