import { join, posix } from 'node:path'
import { insertOption } from '../code/api-options.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { writeFiles } from '../files/write-file.ts'
import { openProject, type Project } from '../project/open-project.ts'
import { formatRendered } from '../resource/format-rendered.ts'
import { renderFile } from '../resource/render-resource.ts'
import { type FactorName, listPackages, toProvider } from '../sign-in/ways.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { noteInstallation } from './note-installation.ts'

export interface GenerateAuthOptions {
  readonly factors?: readonly FactorName[] | undefined
  readonly providers?: readonly string[] | undefined
  readonly links?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly force?: boolean | undefined
}

export async function generateAuth(
  { dryRun, force, ...options }: GenerateAuthOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = openProject(context.cwd)
  const ways = toWays(options)
  const app = await planApp(project)
  const files = [...(await renderWays(project, ways)), ...app.files]
  const changes = await writeFiles(project.root, files, { dryRun, force })
  const packages = listPackages({ passkeys: ways.passkeys, providers: ways.providers.length > 0 })
  const same = changes.every(({ action }) => action === 'identical' || action === 'unchanged')
  return {
    json: {
      command: 'generate auth',
      dryRun: dryRun === true,
      files: toJsonFiles(changes),
      packages,
      variables: ways.variables,
    },
    lines: ['', ...describeChanges(changes), ...(same ? ['', '  Nothing to do.'] : []), ''],
    notes: [...noteInstallation(project, context, packages), ...app.notes, ...noteVariables(ways)],
  }
}

type Ways = ReturnType<typeof toWays>

function toWays({ factors = ['totp'], links = false, providers: names = [] }: GenerateAuthOptions) {
  const passkeys = factors.includes('passkeys')
  const providers = names.map(toProvider)
  const variables = [
    ...(passkeys ? ['APP_URL'] : []),
    ...(providers.length > 0 ? ['API_URL'] : []),
    ...providers.flatMap(({ id, issuer, secret }) => [...(issuer ? [issuer] : []), id, secret]),
  ]
  return { totp: factors.includes('totp'), passkeys, links, providers, variables }
}

async function renderWays(project: Project, ways: Ways): Promise<readonly WantedFile[]> {
  const { extension, importExtension, srcDir } = project.config
  const data = { ...ways, variables: ways.variables.length > 0 }
  const imports = {
    '@create-api/core': ['readEnv'],
    '@create-api/core/testing': ['createTestClient', 'type TestClient'],
    '@create-api/sign-in': ['createSignIn'],
    '@create-api/sign-in/passkeys': ['passkeys'],
    '@create-api/sign-in/providers': ['providers', ...ways.providers.map(({ preset }) => preset)],
    '@create-api/sign-in/testing': ['createTotpCode'],
    vitest: ['afterAll', 'beforeAll', 'describe', 'expect', 'it'],
    zod: ['z'],
    [`./app${importExtension}`]: ['api'],
  }
  const parts = [
    ['sign-in', 'sign-in.ts.hbs'],
    ['sign-in.test', 'sign-in-test.ts.hbs'],
  ] as const
  const rendered = await Promise.all(
    parts.map(async ([name, template]) => ({
      path: posix.join(srcDir, name + extension),
      text: await renderFile(project, [`sign-in/${template}`], { data, imports }),
    })),
  )
  const texts = await formatRendered(project, rendered)
  return rendered.map(({ path }, index) => ({ kind: 'write', path, text: texts[index] ?? '' }))
}

// The edit of the application, or what to add by hand.
async function planApp(
  project: Project,
): Promise<{ readonly files: readonly WantedFile[]; readonly notes: readonly Note[] }> {
  const { extension, importExtension, srcDir } = project.config
  const path = posix.join(srcDir, `app${extension}`)
  const before = readText(join(project.root, path))
  const specifier = `./sign-in${importExtension}`
  if (before?.includes(specifier)) return { files: [], notes: [] }
  const option = { name: 'auth', member: 'signIn', value: 'signIn', imports: { signIn: specifier } }
  const edited = before === undefined ? undefined : await insertOption(before, option)
  if (before === undefined || edited === undefined) {
    const message = `in the options of createApi, set auth.signIn to that of ${specifier}: auth: { signIn }`
    return { files: [], notes: [{ kind: 'next', message }] }
  }
  const [text = edited] = await formatRendered(project, [{ path, text: edited }])
  return { files: [{ kind: 'edit', path, before, text, detail: '+auth.signIn' }], notes: [] }
}

function noteVariables({ variables }: Ways): readonly Note[] {
  if (variables.length === 0) return []
  return [{ kind: 'next', message: `in production, set ${variables.join(', ')}` }]
}
