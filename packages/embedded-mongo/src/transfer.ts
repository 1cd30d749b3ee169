export { dumpDatabase, type DumpOptions, type NamedDatabase } from './lib/transfer/dump-database.ts'
export {
  exportDatabase,
  type ExportOptions,
  type TransferDatabase,
  type TransferredCollection,
} from './lib/transfer/export-database.ts'
export { importDatabase, type ImportOptions } from './lib/transfer/import-database.ts'
export { restoreDatabase, type RestoreOptions } from './lib/transfer/restore-database.ts'
