import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Model, type Types } from 'mongoose'
import { renderResource } from '../../../cli/src/lib/resource/render-resource.ts'
import {
  type GenerateRequest,
  resolveRequest,
} from '../../../cli/src/lib/resource/resolve-request.ts'
import { parseConfig } from '../../../cli/src/lib/project/config.ts'
import { type ResourceRecord } from '../../../cli/src/lib/project/manifest.ts'
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
  /** Where they are mounted. */
  readonly paths: readonly string[]
}

export interface RenderOptions {
  /** The source of `access.ts`. */
  readonly rules?: string
  /** Changes a generated file, as a person would. */
  readonly edit?: (path: string, text: string) => string
}

/** Generates resources, in this order, and loads an app with them. */
export async function renderProject(
  requests: readonly GenerateRequest[],
  { rules = '', edit = (_path, text) => text }: RenderOptions = {},
): Promise<RenderedProject> {
  // Inside the repository, where its imports resolve.
  const root = mkdtempSync(join(import.meta.dirname, '.project-'))
  try {
    if (rules !== '') write(join(root, 'access.ts'), rules)
    const records: Record<string, ResourceRecord> = {}
    const mounts: Mount[] = []
    for (const request of requests)
      mounts.push(await writeResource({ root, edit }, request, records))
    write(join(root, 'app.ts'), toApp(mounts))
    const { api, routers }: RenderedProject = await import(join(root, 'app.ts'))
    return { api, routers, paths: mounts.map(({ path }) => path) }
  } finally {
    rmSync(root, { recursive: true })
  }
}

interface Mount {
  readonly folder: string
  readonly router: string
  readonly path: string
}

async function writeResource(
  { root, edit }: Required<Pick<RenderOptions, 'edit'>> & { readonly root: string },
  request: GenerateRequest,
  resources: Record<string, ResourceRecord>,
): Promise<Mount> {
  const project = {
    root,
    config: parseConfig('{}'),
    manifest: { version: 1, cli: '0.0.0', template: 'default', resources },
    dependencies: {},
  } as const
  const { parts, record, resource } = resolveRequest(project, request)
  for (const { path, text } of await renderResource(project, resource, parts)) {
    write(join(root, path.replace('src/', '')), edit(path, text))
  }
  const { plural, router } = resource.names
  resources[plural] = { ...record, cli: '0.0.0', files: {} }
  return { folder: plural, router, path: resource.path }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function toApp(mounts: readonly Mount[]): string {
  const imports = mounts.map(
    ({ folder, router }) => `import { ${router} } from './resources/${folder}/${folder}.routes.js'`,
  )
  return `import { createApi, createRegistry } from '@create-api/core'
import { createTenants } from '@create-api/core/tenants'
${imports.join('\n')}

export const routers = [${mounts.map(({ router }) => router).join(', ')}]
const routes = createRegistry()
${mounts.map(({ path, router }) => `routes.use('${path}', ${router})`).join('\n')}
const tenants = ${mounts.some(({ path }) => path.includes(':org')) ? 'createTenants()' : 'undefined'}

export const api = createApi({ name: 'golden', routes, tenants })
`
}
