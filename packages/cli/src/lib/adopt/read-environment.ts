import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Host } from './read-host.ts'
import { type SourceFile } from './source-files.ts'

// The environment variables that the application reads, as far as the API needs to know.
export interface Environment {
  /** The one with the URI of the database. */
  readonly database: string
  /** Whether the source names it, or the name is that of a new project. */
  readonly isDatabaseKnown: boolean
  /** The one with the secret of the API: another one than that of the application. */
  readonly secret: string
  /** Whether something loads `.env`. */
  readonly loadsFile: boolean
}

const variable = /\bprocess\.env(?:\.([A-Za-z_]\w*)|\[["'](\w+)["']\])/g
const databaseName = /^(?=.*(MONGO|DB|DATABASE))(?=.*(UR[IL]|CONN|STRING|LINK|MONGO))\w+$/i

export function readEnvironment(
  { manifest, root }: Host,
  sources: readonly SourceFile[],
): Environment {
  const names = sources.flatMap(({ text }) =>
    [...text.matchAll(variable)].map(([, dotted, quoted]) => dotted ?? quoted ?? ''),
  )
  const found = names.filter((name) => databaseName.test(name) && !/TEST/i.test(name))
  const database = found.includes('MONGODB_URI') ? 'MONGODB_URI' : found[0]
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const scripts = Object.values(manifest.scripts ?? {})
  return {
    database: database ?? 'MONGODB_URI',
    isDatabaseKnown: database !== undefined,
    secret: sources.some(({ text }) => /\bJWT_SECRET\b/.test(text))
      ? 'API_JWT_SECRET'
      : 'JWT_SECRET',
    loadsFile:
      packages.some((name) => /^(@dotenvx\/)?dotenv/.test(name)) ||
      scripts.some((script) => script.includes('--env-file')) ||
      existsSync(join(root, '.env')),
  }
}
