import { type LoadedModel } from '../infer/load-model.ts'
import { type ResourcePlan } from '../resource/plan-resource.ts'
import { type Resource } from '../resource/resource.ts'
import { printTable } from '../terminal/print-table.ts'
import { type Note } from '../terminal/reporter.ts'

// What became of each part of the model.
export function describeModel({ existing }: Resource): readonly string[] {
  if (existing === undefined) return []
  const { description, findings } = existing
  const rows = findings.map(({ detail, path, place, state }) => [
    path,
    state,
    place === undefined ? detail : `${detail} (${place})`,
  ])
  const head = `${description.model} in ${description.file}`
  return ['', ...printTable([head, '', ''], rows).map((line) => `  ${line}`)]
}

export function toModelJson({ existing }: Resource): object | undefined {
  if (existing === undefined) return undefined
  const { description, findings } = existing
  const { collection, file, model } = description
  return { model: { name: model, file, collection, findings } }
}

export function noteModel(
  { parts, resource: { existing } }: ResourcePlan,
  loaded: LoadedModel | undefined,
): readonly Note[] {
  if (loaded === undefined) return []
  const { printed } = loaded
  const notes: Note[] = []
  if (printed.length > 0) {
    const message = 'the file of the model printed:'
    notes.push({ kind: 'note', code: 'MODEL_PRINTED', message, commands: printed.slice(0, 5) })
  }
  if (existing?.unsampled !== undefined && !parts.includes('test')) {
    const message = `no test was written: no valid value of ${existing.unsampled} is known`
    notes.push({ kind: 'note', code: 'NO_TEST', message })
  }
  return notes
}
