export {
  exportDatabase,
  type ExportOptions,
  type TransferDatabase,
  type TransferredCollection,
} from './lib/transfer/export-database.ts'
export { importDatabase, type ImportOptions } from './lib/transfer/import-database.ts'
