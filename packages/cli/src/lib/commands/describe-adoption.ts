import { type Adoption } from '../adopt/plan-adoption.ts'
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
      files: toJsonFiles(changes),
    },
    lines: [
      ...(dryRun ? ['Dry run: nothing was written.'] : []),
      ...describePlan(adoption, changes),
    ],
    notes: [...toNotes(adoption), ...(dryRun ? [] : toNextSteps(adoption))],
  }
}

// What is written, and where.
export function describePlan(
  { app, host, layout, mount, prefix }: Adoption,
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
    `  paths      ${prefix}/api/…, ${prefix}/docs, ${prefix}/openapi.json`,
    '',
    ...describeChanges(changes.filter(({ path }) => !path.startsWith('.api/'))),
    '',
    '  No other line of the application changes.',
    '',
  ]
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
