import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Model, type Types } from 'mongoose'
import { renderResource } from '../../../cli/src/lib/resource/render-resource.ts'
import {
  type GenerateRequest,
  resolveRequest,
} from '../../../cli/src/lib/resource/resolve-request.ts'
import { parseConfig } from '../../../cli/src/lib/project/config.ts'
import { type Api, type createRouter } from '../../src/index.ts'

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

/** Generates the resource `posts` and loads an app with it. */
export async function renderGolden(access: 'public' | 'owner'): Promise<GoldenProject> {
  const fields = ['title:string', 'body:text', 'published:boolean:default=false']
  const { api, routers } = await renderProject([{ name: 'posts', fields, access }])
  const [router] = routers
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from the fields above
  return { api, PostModel: router?.model as unknown as Model<Post> }
}

export interface RenderedProject {
  readonly api: Api
  /** The routers of the resources, in the order of the requests. */
  readonly routers: readonly ReturnType<typeof createRouter>[]
}

/** Generates resources, each below `/api`, and loads an app with them. */
export async function renderProject(
  requests: readonly GenerateRequest[],
): Promise<RenderedProject> {
  // Inside the repository, where its imports resolve.
  const root = mkdtempSync(join(import.meta.dirname, '.project-'))
  try {
    for (const request of requests) await writeResource(root, request)
    const names = requests.map(({ name }) => name)
    write(join(root, 'app.ts'), toApp(names))
    const { api, routers }: RenderedProject = await import(join(root, 'app.ts'))
    return { api, routers }
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function writeResource(root: string, request: GenerateRequest): Promise<void> {
  const project = {
    root,
    config: parseConfig('{}'),
    manifest: { version: 1, cli: '0.0.0', template: 'default', resources: {} },
    dependencies: {},
  } as const
  const { parts, resource } = resolveRequest(project, request)
  for (const { path, text } of await renderResource(project, resource, parts)) {
    write(join(root, path.replace('src/', '')), text)
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function toApp(names: readonly string[]): string {
  return `import { createApi, createRegistry } from '@create-api/core'
${names.map((name) => `import { ${name}Router } from './resources/${name}/${name}.routes.js'`).join('\n')}

export const routers = [${names.map((name) => `${name}Router`).join(', ')}]
const routes = createRegistry()
${names.map((name) => `routes.use('/api/${name}', ${name}Router)`).join('\n')}

export const api = createApi({ name: 'golden', routes })
`
}
