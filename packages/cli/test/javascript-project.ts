import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { modules } from './linked-project.ts'
import { createTemporaryFolder } from './run-program.ts'

const registry = fileURLToPath(new URL('../../../templates/project/src/routes.ts', import.meta.url))

export type PackageType = 'commonjs' | 'module'

/** What the files of a project are called. */
export const extensions = { commonjs: '.mjs', module: '.js' } as const

/** Makes a project in JavaScript that finds its dependencies in this repository. */
export function createJavaScriptProject(type: PackageType, settings: object = {}): string {
  const root = join(createTemporaryFolder(), 'service')
  const extension = extensions[type]
  const files = {
    'package.json': JSON.stringify({ name: 'service', type, devDependencies: { vitest: '*' } }),
    'api.config.json': JSON.stringify({ language: 'javascript', ...settings }),
    'tsconfig.json': JSON.stringify(checked),
    'vitest.config.mjs': `export default { test: ${JSON.stringify(tested)} }\n`,
    [`src/routes${extension}`]: readFileSync(registry, 'utf8'),
    [`src/access${extension}`]: access,
    [`src/app${extension}`]: app.replace('./routes', `./routes${extension}`),
    [`src/server${extension}`]: `import { api } from './app${extension}'\n\nawait api.start()\n`,
  }
  mkdirSync(join(root, 'src'), { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  mkdirSync(join(root, 'node_modules'))
  // What runs TypeScript, such a project has not installed.
  for (const name of readdirSync(modules).filter((one) => one !== 'tsx')) {
    symlinkSync(join(modules, name), join(root, 'node_modules', name))
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  return root
}

const checked = {
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src'],
}

const tested = {
  env: { RATE_LIMIT: 'off' },
  include: ['src/**/*.test.{js,mjs}'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

const access = `import { defineRule } from '@create-api/core'

export const editors = defineRule('editors', () => true)
`

const app = `import { createApi } from '@create-api/core'
import { createMigrations } from '@create-api/core/migrations'
import { createTenants } from '@create-api/core/tenants'
import { routes } from './routes'

export const api = createApi({
  name: 'Service',
  routes,
  migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }),
  tenants: createTenants(),
})
`
