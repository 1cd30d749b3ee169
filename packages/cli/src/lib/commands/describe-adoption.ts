import { type Adoption } from '../adopt/plan-adoption.ts'
import { findJestFile } from '../adopt/plan-packages.ts'
import { type UsersPlan } from '../adopt/plan-users.ts'
import { type UndoPlan } from '../adopt/plan-undo.ts'
import { type Change, isPending } from '../files/change.ts'
import { packageName } from '../package/own-package.ts'
import { describeChanges, toJsonFiles } from '../terminal/describe-changes.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'

interface Run {
  readonly changes: readonly Change[]
  readonly dryRun: boolean
}

export function describeAdoption(adoption: Adoption, { changes, dryRun }: Run): Outcome {
  const { app, host, layout, mount, packages, prefix } = adoption
  return {
    json: {
      command: 'adopt',
      dryRun,
      app: { file: app.path, line: app.line },
      mount: { file: app.path, line: mount.line, code: mount.code, import: mount.importCode },
      prefix,
      folder: layout.folder,
      language: layout.language,
      ownPackage: layout.isPackage,
      outdated: host.outdated,
      packages,
      users: toJsonUsers(adoption),
      files: toJsonFiles(changes),
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      ...describePlan(adoption, changes),
    ],
    notes: [
      ...toNotes(adoption),
      ...toUserNotes(adoption),
      ...(dryRun ? [] : toNextSteps(adoption)),
    ],
  }
}

function toJsonUsers({ users: { plan } }: Adoption): object | null {
  if (plan === undefined) return null
  const { hashes, model, tokens } = plan
  return {
    file: model.file,
    line: model.line,
    model: model.model,
    collection: model.collection,
    hashes: hashes.kind,
    tokens: tokens === undefined ? null : { claim: tokens.claim, variable: tokens.variable },
  }
}

// What is written, and where.
export function describePlan(
  { app, host, layout, mount, prefix, users }: Adoption,
  changes: readonly Change[],
): readonly string[] {
  const { folder, isPackage, language } = layout
  const modules = host.isModule ? 'ES modules' : 'CommonJS'
  const kind = language === 'typescript' ? 'TypeScript' : 'JavaScript'
  const place = isPackage ? 'a package with its own dependencies' : 'part of the application'
  return [
    '',
    `  app        ${app.path}:${app.line}, ${modules}`,
    `  import     ${mount.importCode}`,
    `  mount      ${app.path}:${mount.line}   ${mount.code}`,
    `  api        ${folder}, ${place}, in ${kind}`,
    ...describeUsers(users.plan),
    `  paths      ${prefix}/api/…, ${prefix}/docs, ${prefix}/openapi.json`,
    '',
    ...describeChanges(changes.filter(({ path }) => !path.startsWith('.api/'))),
    '',
    '  No other line of the application changes.',
    '',
  ]
}

function describeUsers(plan: UsersPlan | undefined): readonly string[] {
  if (plan === undefined) return []
  const { hashes, model, tokens } = plan
  const issued = tokens === undefined ? '' : `, and tokens with the claim ${tokens.claim}`
  const kind = hashes.kind === 'unknown' ? 'hashes of an unknown kind' : `hashes of ${hashes.kind}`
  return [
    `  users      ${model.file}:${model.line}   ${model.model} in ${model.collection}, ${kind}${issued}`,
  ]
}

function toUserNotes({ layout, users: { plan, problem } }: Adoption): readonly Note[] {
  const file = `${layout.folder}/users${layout.extension}`
  if (problem !== undefined) {
    const message = `${problem}, so the API has its own users in apiusers`
    return [{ kind: 'note', code: 'OWN_USERS', message }]
  }
  if (plan === undefined) return []
  const notes: Note[] = []
  if (plan.hashes.kind === 'unknown') {
    const message = `the source does not show how passwords are hashed: complete "hashes" in ${file}`
    notes.push({ kind: 'warning', code: 'UNKNOWN_HASHES', message })
  }
  if (plan.tokens?.isCertain === false) {
    const message = `tokens are verified with ${plan.tokens.variable}: check "findByToken" in ${file}`
    notes.push({ kind: 'note', code: 'UNKNOWN_SECRET', message })
  }
  if (plan.unsupported.length > 0) {
    const message = `a user needs ${plan.unsupported.join(', ')}, so the API has no route that registers users`
    notes.push({ kind: 'note', code: 'NO_REGISTRATION', message })
  }
  if (!plan.email.unique) {
    const message = `${plan.model.file} has no unique index of ${plan.email.name}: two registrations at the same time can store one address twice`
    notes.push({ kind: 'warning', code: 'NO_UNIQUE_INDEX', message })
  }
  return notes
}

function toNotes({ environment, host, layout }: Adoption): readonly Note[] {
  const notes: Note[] = []
  if (layout.isPackage) {
    const list = host.outdated.map(
      ({ has, name, needs }) => `${name} ${has} (the API needs ${needs})`,
    )
    const message = `${list.join(' and ')} cannot be shared, so ${layout.folder} is a package with its own`
    notes.push({ kind: 'note', code: 'OWN_PACKAGE', message })
  }
  if (host.outdated.some(({ name }) => name === 'mongoose')) {
    const message = `the API has its own connection, to the database of ${environment.database}; models of the application cannot be used in it before the application has Mongoose 9`
    notes.push({ kind: 'note', code: 'OWN_CONNECTION', message })
  }
  if (!environment.loadsFile) {
    const message = `nothing loads .env, so production needs the variable ${environment.secret}: openssl rand -base64 32`
    notes.push({ kind: 'note', code: 'SECRET_NEEDED', message })
  }
  const jestFile = findJestFile(host.root)
  if (jestFile !== undefined) {
    const message = `Jest must not run the tests of resources, which are those of Vitest: add '<rootDir>/${layout.folder}/' to testPathIgnorePatterns in ${jestFile}`
    notes.push({ kind: 'note', code: 'JEST_SETTINGS', message })
  }
  if (!environment.isDatabaseKnown) {
    const message = `the source names no variable with the address of the database, so tests of the API and its own connection read ${environment.database}`
    notes.push({ kind: 'note', code: 'UNKNOWN_DATABASE', message })
  }
  return notes
}

function toNextSteps({ manager }: Adoption): readonly Note[] {
  return [
    {
      kind: 'next',
      message: 'install the packages, and generate a resource',
      commands: [
        `${manager.name} install`,
        `${manager.exec} api generate resource posts title:string`,
        `to undo: npx ${packageName} adopt --undo`,
      ],
    },
  ]
}

export function describeUndo({ kept }: UndoPlan, { changes, dryRun }: Run): Outcome {
  return {
    json: {
      command: 'adopt --undo',
      dryRun,
      changed: changes.some(isPending),
      kept,
      files: toJsonFiles(changes),
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      '',
      ...describeChanges(changes),
      ...kept.map((path) => `  keep       ${path}   changed since`),
      '',
    ],
    notes: [{ kind: 'next', message: 'run the installation of packages again' }],
  }
}
