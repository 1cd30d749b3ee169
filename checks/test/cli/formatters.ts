import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { format as formatWithOxfmt, type FormatOptions } from 'oxfmt'
import { format as formatWithPrettier, type Options } from 'prettier'
import { createTemporaryFolder } from '../../../packages/cli/test/run-program.ts'

/** What somebody's editor does to a file when it is saved. */
export interface Rewriting {
  readonly name: string
  /** True when imports change places, which also moves comments and leaves empty lines. */
  readonly sorts?: boolean
  readonly rewrite: (text: string) => string | Promise<string>
}

const require = createRequire(import.meta.url)
const file = 'routes.ts'

function oxfmt(options: FormatOptions): Rewriting['rewrite'] {
  return async (text) => {
    const { code, errors } = await formatWithOxfmt(file, text, options)
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    return code
  }
}

function prettier(options: Options): Rewriting['rewrite'] {
  return (text) => formatWithPrettier(text, { filepath: file, ...options })
}

/** Everything that works inside this process. */
export const rewritings: readonly Rewriting[] = [
  { name: 'nothing', rewrite: (text) => text },
  { name: 'CRLF', rewrite: (text) => text.replaceAll(/\r?\n/g, '\r\n') },
  { name: 'a byte order mark', rewrite: (text) => `\uFEFF${text.replace('\uFEFF', '')}` },
  { name: 'no final newline', rewrite: (text) => text.trimEnd() },
  { name: 'oxfmt', rewrite: oxfmt({ semi: false, singleQuote: true }) },
  { name: 'oxfmt, semicolons and double quotes', rewrite: oxfmt({}) },
  { name: 'oxfmt, 40 columns and tabs', rewrite: oxfmt({ printWidth: 40, useTabs: true }) },
  { name: 'oxfmt, CRLF', rewrite: oxfmt({ endOfLine: 'crlf' }) },
  { name: 'oxfmt, sorted imports', sorts: true, rewrite: oxfmt({ sortImports: {} }) },
  { name: 'Prettier', rewrite: prettier({}) },
  {
    name: 'Prettier, 40 columns and tabs',
    rewrite: prettier({ printWidth: 40, useTabs: true, trailingComma: 'none' }),
  },
  {
    name: 'Prettier, no semicolons, single quotes',
    rewrite: prettier({ semi: false, singleQuote: true, tabWidth: 4 }),
  },
  {
    name: 'Prettier, @ianvs/prettier-plugin-sort-imports',
    sorts: true,
    rewrite: prettier({
      plugins: [require.resolve('@ianvs/prettier-plugin-sort-imports')],
      semi: false,
    }),
  },
  {
    name: 'Prettier, @trivago/prettier-plugin-sort-imports',
    sorts: true,
    rewrite: prettier({
      plugins: [require.resolve('@trivago/prettier-plugin-sort-imports')],
      importOrder: ['^@', '^[./]'],
      importOrderSeparation: true,
    }),
  },
]

/**
 * Biome, which is a separate program.
 *
 * @returns its formatter, with and without sorting imports
 */
export function biomeRewritings(): readonly Rewriting[] {
  const bin = require.resolve('@biomejs/biome/bin/biome')
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, 'biome.json'), JSON.stringify({ linter: { enabled: false } }))
  const biome = (assist: boolean) => (text: string) => {
    const args = [
      bin,
      'check',
      '--write',
      `--assist-enabled=${assist}`,
      `--stdin-file-path=${file}`,
    ]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd, input: text })
    if (status !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }
  return [
    { name: 'Biome', rewrite: biome(false) },
    { name: 'Biome, sorted imports', sorts: true, rewrite: biome(true) },
  ]
}
