import { type Inference } from '../infer/infer-fields.ts'
import { count } from '../terminal/count.ts'
import { printTable } from '../terminal/print-table.ts'

export function describeInference({ documents, fields, omitted }: Inference): readonly string[] {
  const rows = fields.map(({ argument, certainty, reason }) => [argument, certainty, reason])
  const left = omitted.map(({ name, reason }) => [name, 'left out', reason])
  return ['', ...indent(printTable([count(documents, 'document'), '', ''], [...rows, ...left]))]
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
