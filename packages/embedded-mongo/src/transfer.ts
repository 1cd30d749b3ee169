export { exportDatabase, type ExportOptions } from './lib/transfer/export-database.ts'
export { importDatabase, type ImportOptions } from './lib/transfer/import-database.ts'
export {
  type TransferDatabase,
  type TransferredCollection,
} from './lib/transfer/transfer-database.ts'
