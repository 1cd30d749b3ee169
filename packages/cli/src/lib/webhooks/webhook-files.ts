import { join, posix } from 'node:path'
import { type ApiOption } from '../code/api-options.ts'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { type Mount } from '../registry/edit-registry.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { type RenderedFile, renderFile } from '../resource/render-resource.ts'

export interface AppFile {
  readonly path: string
  /** Undefined when there is no such file. */
  readonly text: string | undefined
  /** The module of webhooks, as it imports that. */
  readonly specifier: string
  readonly options: readonly ApiOption[]
}

// The files of webhooks, formatted as the project formats its files.
export async function renderWebhooks(project: Project): Promise<readonly RenderedFile[]> {
  const { extension, importExtension, srcDir } = project.config
  const imports = {
    'node:crypto': ['createHmac'],
    'node:events': ['once'],
    'node:http': ['createServer', 'type IncomingHttpHeaders'],
    '@create-api/core': ['readEnv'],
    '@create-api/core/testing': ['createTestClient', 'type TestClient'],
    '@create-api/jobs/events': ['defineEvent', 'emit'],
    '@create-api/jobs/testing': ['runJobs'],
    '@create-api/webhooks': ['createWebhooks', 'publish'],
    vitest: ['afterAll', 'beforeAll', 'describe', 'expect', 'it'],
    zod: ['z'],
    [`./app${importExtension}`]: ['api'],
    [`./webhooks${importExtension}`]: ['exampleHappened'],
  }
  const parts = [
    ['webhooks', 'webhooks.ts.hbs'],
    ['webhooks.test', 'webhooks-test.ts.hbs'],
  ] as const
  const rendered = await Promise.all(
    parts.map(async ([name, template]) => ({
      path: posix.join(srcDir, name + extension),
      text: await renderFile(project, [`webhooks/${template}`], { data: {}, imports }),
    })),
  )
  const texts = await formatRendered(project, rendered)
  return rendered.map(({ path }, index) => ({ path, text: texts[index] ?? '' }))
}

export function toWebhookMount({ config }: Project): Mount {
  const module = posix.join(config.srcDir, `webhooks${config.importExtension}`)
  const specifier = posix.relative(posix.dirname(config.registry), module)
  return {
    router: 'webhooksRouter',
    specifier: specifier.startsWith('.') ? specifier : `./${specifier}`,
    path: '/api/webhooks',
  }
}

export function readAppFile({ config, root }: Project): AppFile {
  const { extension, importExtension, srcDir } = config
  const path = posix.join(srcDir, `app${extension}`)
  const specifier = `./webhooks${importExtension}`
  return {
    path,
    text: readText(join(root, path)),
    specifier,
    options: [
      {
        name: 'jobs',
        value: 'createJobs({ jobs: webhooks.jobs, handlers: webhooks.handlers })',
        imports: { createJobs: '@create-api/jobs', webhooks: specifier },
      },
      {
        name: 'openapi',
        member: 'webhooks',
        value: 'webhooks.openapi',
        imports: { webhooks: specifier },
      },
    ],
  }
}
