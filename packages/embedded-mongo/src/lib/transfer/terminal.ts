import { isDocument } from '../bson/document.ts'
import { type TransferredCollection } from './export-database.ts'

export interface Terminal {
  out(text: string): void
  error(text: string): void
}

export interface Arguments {
  readonly first: string
  readonly second: string
  readonly database: string | undefined
  // The data folder that is served.
  readonly data: string | undefined
  readonly port: string
  readonly drop: boolean
  readonly repair: boolean
  readonly gzip: boolean
}

export function report(terminal: Terminal, verb: string, done: TransferredCollection[]): void {
  for (const { name, documents } of done) terminal.out(`  ${verb}  ${name}  ${documents}\n`)
}

export function namesOf(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.filter((item) => isDocument(item)).map((item) => String(item['name']))
}
