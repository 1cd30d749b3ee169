import { Binary, Long } from 'bson'
import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { checkCollection } from '../catalog/validate-collection.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { fromBytes } from '../storage/keys.ts'
import { type Command, requireNamespace } from './context.ts'
import { toBoolean } from './requirements.ts'

const repairing = ['repair', 'fixMultikey']

// Everything is checked, whatever the options.
export const validate: Command = {
  options: [
    'full',
    'background',
    'metadata',
    'checkBSONConformance',
    'enforceFastCount',
    ...repairing,
  ],
  run(context) {
    for (const option of repairing) {
      if (toBoolean(context.body[option], `validate.${option}`)) {
        throw notImplemented(`validate option ${option}`)
      }
    }
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) {
      throw new CommandError(
        'NamespaceNotFound',
        `Collection '${namespace}' does not exist to validate.`,
      )
    }
    const { documents, unreadable, noncompliant, hasWrongCounts, indexes } = checkCollection(
      context.view,
      collection,
    )
    const checks = [...indexes].map(([{ name }, check]) => ({ name, ...check }))
    const errors = [
      ...unreadable.map(({ reason }) => `A document cannot be read: ${reason}`),
      ...(hasWrongCounts ? ['The counts of documents and bytes are wrong.'] : []),
      ...checks
        .filter((check) => !isConsistent(check))
        .map(
          ({ name, missing, extra }) =>
            `Index ${name}: ${missing} missing and ${extra} extra entries`,
        ),
    ]
    return {
      ns: namespace,
      uuid: new Binary(collection.uuid, 4),
      nInvalidDocuments: Long.fromNumber(unreadable.length),
      nNonCompliantDocuments: Long.fromNumber(noncompliant),
      nrecords: Long.fromNumber(documents),
      nIndexes: checks.length,
      keysPerIndex: byName(checks, ({ keys }) => Long.fromNumber(keys)),
      indexDetails: byName(checks, (check) => ({ valid: isConsistent(check) })),
      valid: errors.length === 0,
      repaired: false,
      warnings: noncompliant === 0 ? [] : [`${noncompliant} documents do not match the validator.`],
      errors,
      corruptRecords: unreadable.map(({ recordId }) => Long.fromNumber(fromBytes(recordId))),
    }
  },
}

function isConsistent({ missing, extra }: { missing: number; extra: number }): boolean {
  return missing === 0 && extra === 0
}

function byName<T extends { name: string }>(
  checks: readonly T[],
  read: (check: T) => unknown,
): Doc {
  return Object.fromEntries(checks.map((check) => [check.name, read(check)]))
}
