import { type Schema } from 'mongoose'
import { findUnselected, hasSecretName, matchesPath, type Path } from '../resource/secret-fields.ts'
import { type AuditOptions } from './audit-options.ts'

// The fields of a model that are masked or left out.
export interface Masks {
  /** Whether only the fact of a change is recorded. */
  isMasked(path: Path): boolean
  /** Whether nothing is. */
  isLeftOut(path: Path): boolean
}

export function createMasks(schema: Schema, options: AuditOptions): Masks {
  const { except = [], mask = [], unmask = [] } = options
  const masked = [...findUnselected(schema), ...mask.map(toPath)]
  const shown = unmask.map(toPath)
  const leftOut = [...except.map(toPath), ...findCounters(schema)]
  return {
    isMasked: (path) =>
      masked.some((pattern) => matchesPath(pattern, path)) ||
      (hasSecretName(path) && !shown.some((pattern) => matchesPath(pattern, path))),
    isLeftOut: (path) => leftOut.some((pattern) => matchesPath(pattern, path)),
  }
}

function toPath(text: string): Path {
  return text.split('.')
}

// Id, version and times, which the entry itself contains.
function findCounters(schema: Schema): Path[] {
  const { timestamps, versionKey } = schema.options
  const names = typeof timestamps === 'object' ? timestamps : {}
  const times = timestamps
    ? [names.createdAt ?? 'createdAt', names.updatedAt ?? 'updatedAt'].filter(isText)
    : []
  return [['_id'], ...[versionKey, ...times].filter(isText).map((name) => [name])]
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
