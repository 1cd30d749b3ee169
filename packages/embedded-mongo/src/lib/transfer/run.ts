import { parseArgs } from 'node:util'
import { exportDatabase } from './export-database.ts'
import { compactFolder, printStats } from './folder-tools.ts'
import { importDatabase } from './import-database.ts'
import { requireData } from './place.ts'
import { type Terminal } from './terminal.ts'
import { type TransferredCollection } from './transfer-database.ts'
import { withDatabase } from './with-database.ts'

const USAGE = `Usage:
  embedded-mongo export <data-folder | mongodb://…> <folder>      write every collection as Extended JSON lines
  embedded-mongo import <folder | file> <data-folder | mongodb://…>   read them; --drop replaces collections
  embedded-mongo stats <data-folder>                               documents, bytes and indexes of every collection
  embedded-mongo compact <data-folder>                             rewrite the folder as one snapshot
                                                                   --repair keeps what stands before a damaged place
Options:
  --database <name>   the database (default: the one of the connection string, else app)
`

/**
 * Runs the command line tool.
 *
 * @param argv The arguments behind the program's name.
 * @param terminal Where results and messages go.
 * @returns The exit code: 0 done, 1 failed, 2 called wrongly.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal)
  } catch (error) {
    terminal.error(`error: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof TypeError && 'code' in error ? 2 : 1
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      database: { type: 'string' },
      drop: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [command, first, second] = positionals
  if (values.help) {
    terminal.out(USAGE)
    return 0
  }
  if (command === 'export' && first && second) {
    requireData(first)
    const done = await withDatabase({ place: first, name: values.database }, (database) =>
      exportDatabase(database, { directory: second }),
    )
    report(terminal, 'exported', done)
  } else if (command === 'import' && first && second) {
    const done = await withDatabase({ place: second, name: values.database }, (database) =>
      importDatabase(database, { from: first, drop: values.drop }),
    )
    report(terminal, 'imported', done)
  } else if (command === 'stats' && first) await printStats(first, terminal)
  else if (command === 'compact' && first) await compactFolder(first, values.repair, terminal)
  else {
    terminal.error(USAGE)
    return 2
  }
  return 0
}

function report(terminal: Terminal, verb: string, done: TransferredCollection[]): void {
  for (const { name, documents } of done) terminal.out(`  ${verb}  ${name}  ${documents}\n`)
}
