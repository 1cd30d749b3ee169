import { readdirSync, readFileSync } from 'node:fs'
import { EJSON } from 'bson'
import { type Db, type Document } from 'mongodb'
import { type Case, runCase, show } from './run-case.ts'

const folder = new URL('.', import.meta.url)

/** The data files, sorted by name. */
export function listCaseFiles(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ndjson'))
    .toSorted()
}

/**
 * Reads a data file. It holds a row a line, in Extended JSON; a first line without a name gives
 * documents for all. A row with `embedded: true` states what only the embedded database does: it
 * refuses what it lacks.
 * @returns The rows, each complete.
 */
export function readCases(file: string): Case[] {
  const rows = readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseRow(line))
  const shared = rows[0]?.name === undefined ? rows.shift() : undefined
  return rows.map((row) => ({ ...shared, ...row })) as Case[]
}

/**
 * Runs a row.
 * @returns What it gave and what it should have given, in one form.
 */
export async function judgeCase(db: Db, row: Case): Promise<{ found: unknown; expected: unknown }> {
  const { code, contains } = row.error ?? {}
  return {
    found: toOutcome(await runCase(db, row), row),
    expected: row.error ? { code: Number(code), contains } : { result: show(row.expect) },
  }
}

function toOutcome({ result, error }: Awaited<ReturnType<typeof runCase>>, row: Case): unknown {
  if (error === undefined) return { result: show(isIds(row.expect) ? ids(result) : result) }
  const { contains = '' } = row.error ?? {}
  // A message without the words shows up whole.
  const words = error.message.includes(contains) ? row.error?.contains : error.message
  return { code: Number(error.code), contains: words }
}

// Extended JSON takes the operator $regex for its old way to write a regular expression.
function parseRow(line: string): Partial<Case> {
  return restore(EJSON.parse(line.replaceAll('"$regex"', '"~regex"'), { relaxed: false }))
}

function restore(value: unknown): Partial<Case>
function restore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => restore(item))
  if (!isPlain(value)) return value
  const entries = Object.entries(value as Document)
  return Object.fromEntries(
    entries.map(([name, item]) => [name === '~regex' ? '$regex' : name, restore(item)]),
  )
}

function isIds(expected: unknown): boolean {
  return Array.isArray(expected) && expected.length > 0 && !expected.some((item) => isPlain(item))
}

function isPlain(value: unknown): boolean {
  return Object.getPrototypeOf(value ?? 0) === Object.prototype
}

function ids(result: unknown): unknown {
  if (!Array.isArray(result) || !result.every((item: Document) => isPlain(item))) return result
  return result.map((item: Document) => item['_id'] as unknown)
}
