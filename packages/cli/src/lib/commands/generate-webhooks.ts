import { insertOption } from '../code/api-options.ts'
import { jobsPackage } from '../create/dependencies.ts'
import { type WantedFile } from '../files/change.ts'
import { writeFiles } from '../files/write-file.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { planMount } from '../resource/plan-mount.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { readAppFile, renderWebhooks, toWebhookMount } from '../webhooks/webhook-files.ts'
import { noteInstallation } from './note-installation.ts'

export interface GenerateWebhooksOptions {
  readonly dryRun?: boolean | undefined
  readonly force?: boolean | undefined
}

const packages = [jobsPackage, '@create-api/webhooks']
const variable = 'WEBHOOK_KEY'

export async function generateWebhooks(
  { dryRun, force }: GenerateWebhooksOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const rendered = await renderWebhooks(project)
  const app = await planApp(project)
  const files: readonly WantedFile[] = [
    ...rendered.map((file) => ({ kind: 'write' as const, ...file })),
    await planMount(project, toWebhookMount(project)),
    ...app.files,
  ]
  const changes = await writeFiles(project.root, files, { dryRun, force })
  const same = changes.every(({ action }) => action === 'identical' || action === 'unchanged')
  return {
    json: {
      command: 'generate webhooks',
      dryRun: dryRun === true,
      files: toJsonFiles(changes),
      packages,
      variables: [variable],
    },
    lines: ['', ...describeChanges(changes), ...(same ? ['', '  Nothing to do.'] : []), ''],
    notes: [
      ...noteInstallation(project, context, packages),
      ...app.notes,
      {
        kind: 'next',
        message: `in production, set ${variable} to a secret of 32 characters or more`,
        commands: ['openssl rand -base64 32'],
      },
    ],
  }
}

// The edit of the application, or what to add by hand.
async function planApp(
  project: Project,
): Promise<{ readonly files: readonly WantedFile[]; readonly notes: readonly Note[] }> {
  const { options, path, specifier, text: before } = readAppFile(project)
  if (before?.includes(specifier)) return { files: [], notes: [] }
  let edited = before
  for (const option of options) {
    edited = edited === undefined ? undefined : await insertOption(edited, option)
  }
  if (before === undefined || edited === undefined) {
    const messages = [
      `in the options of createApi, add the jobs and handlers of ${specifier}: createJobs({ jobs: [...webhooks.jobs], handlers: [...webhooks.handlers] })`,
      'set openapi.webhooks: openapi: { webhooks: webhooks.openapi }',
    ]
    return { files: [], notes: messages.map((message) => ({ kind: 'next', message })) }
  }
  const [text = edited] = await formatRendered(project, [{ path, text: edited }])
  const detail = '+jobs, +openapi.webhooks'
  return { files: [{ kind: 'edit', path, before, text, detail }], notes: [] }
}
