import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type AppPlace } from './find-app.ts'
import { type Host } from './read-host.ts'

// Where the files of the API are, and what they are written in.
export interface Layout {
  /** `src/api`, relative to the root. */
  readonly folder: string
  /** Whether the folder is a separate package with its own dependencies. */
  readonly isPackage: boolean
  readonly language: 'typescript' | 'javascript'
  /** Of the files of the API, which are ES modules. */
  readonly extension: '.ts' | '.js' | '.mjs'
  /** Of relative imports among them. */
  readonly importExtension: '.js' | '.ts' | '.mjs' | ''
  /** File that exports the mount. */
  readonly mount: string
  /** How the file of the app imports it. */
  readonly specifier: string
}

export function chooseLayout(host: Host, app: AppPlace, chosen: string | undefined): Layout {
  const isPackage = host.outdated.length > 0
  const source = app.path.startsWith('src/') && !isPackage ? 'src' : '.'
  const folder = chosen === undefined ? chooseFolder(host, source) : requireFree(host, chosen)
  const language = isPackage ? 'javascript' : host.language
  if (language === 'typescript') {
    const importExtension = readImportExtension(app.text)
    return {
      folder,
      isPackage,
      language,
      extension: '.ts',
      importExtension,
      mount: `${folder}/mount.ts`,
      specifier: toSpecifier(app.path, `${folder}/mount${importExtension}`),
    }
  }
  const isModuleFolder = isPackage || host.manifest.type === 'module'
  const extension = isModuleFolder ? '.js' : '.mjs'
  const mount = `${folder}/mount${host.isModule ? extension : '.cjs'}`
  return {
    folder,
    isPackage,
    language,
    extension,
    importExtension: extension,
    mount,
    specifier: toSpecifier(app.path, mount),
  }
}

function chooseFolder({ root }: Host, source: string): string {
  const names = ['api', 'create-api', 'new-api'].map((name) => posix.join(source, name))
  const free = names.find((name) => !existsSync(join(root, name)))
  if (free !== undefined) return free
  throw new CliError('CONFLICT', `the folders ${names.join(', ')} exist; nothing was written`, {
    hint: 'name another one for the files of the API: --dir src/rest',
    files: names,
  })
}

function requireFree({ root }: Host, chosen: string): string {
  const folder = posix.normalize(chosen).replace(/\/$/, '')
  // Not in a hidden folder, such as that of git.
  if (
    !/^[\w@][\w@.-]*(\/[\w@][\w@.-]*)*$/.test(folder) ||
    /(^|\/)node_modules(\/|$)/.test(folder)
  ) {
    throw new CliError('USAGE', `--dir ${chosen} is not a folder for source of the application`, {
      hint: 'for example: --dir src/api',
    })
  }
  if (!existsSync(join(root, folder))) return folder
  throw new CliError('CONFLICT', `the folder ${folder} exists; nothing was written`, {
    hint: 'name another one for the files of the API: --dir src/rest',
    files: [folder],
  })
}

function toSpecifier(from: string, to: string): string {
  const specifier = posix.relative(posix.dirname(from), to)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}

// As the application writes its imports.
function readImportExtension(text: string): '.js' | '.ts' | '' {
  const specifier = /from ["']\.[^"']*?(\.[jt]s)?["']/.exec(text)
  if (specifier === null) return '.js'
  return specifier[1] === '.js' || specifier[1] === '.ts' ? specifier[1] : ''
}
