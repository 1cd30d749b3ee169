import { type Inference } from '../infer/inference.ts'
import { printTable } from '../terminal/print-table.ts'

export function describeInference({ fields, omitted, source }: Inference): readonly string[] {
  const rows = fields.map(({ argument, certainty, reason }) => [argument, certainty, reason])
  const left = omitted.map(({ name, reason }) => [name, 'left out', reason])
  return ['', ...indent(printTable([source, '', ''], [...rows, ...left]))]
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
