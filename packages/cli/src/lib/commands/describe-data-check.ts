import { type DataCheck } from '../infer/check-data.ts'
import { type ResourcePlan } from '../resource/plan-resource.ts'
import { count } from '../terminal/count.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { toJsonNames } from './describe-resource.ts'

export function describeDataCheck({ resource }: ResourcePlan, check: DataCheck): Outcome {
  const { documents, faults } = check
  const { collection } = toJsonNames(resource)
  const rows = faults.map(({ documents: broken, examples, message, path }) => [
    path,
    String(broken),
    message,
    examples.map(toExample).join(', '),
  ])
  const source = `${count(documents, 'document')} of ${collection}`
  const table = printTable([source, 'documents', 'fault', 'examples'], rows)
  return {
    exit: faults.length > 0 ? 1 : 0,
    json: {
      command: 'generate resource',
      dryRun: true,
      changed: false,
      names: toJsonNames(resource),
      files: [],
      routes: [],
      data: check,
    },
    lines:
      faults.length > 0
        ? ['', ...table.map((line) => `  ${line}`), '']
        : ['', `  ${source}: the validation accepts all of them.`, ''],
    notes: [],
  }
}

const maxLength = 40

function toExample({ id, value }: DataCheck['faults'][number]['examples'][number]): string {
  if (value === undefined) return id
  const text = JSON.stringify(value)
  return `${id} ${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}`
}
