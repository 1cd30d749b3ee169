import { join } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { type InflectionRules } from '../names/inflect.ts'
import { toInflectionRule } from '../names/resource-names.ts'
import { configFile } from '../project/config.ts'
import { printJson } from '../project/print-json.ts'
import { type Project } from '../project/open-project.ts'
import { type ResolvedRequest } from './resolve-request.ts'

// Adds the forms of a name that were given to the settings of the project.
export function rememberInflection(
  { config }: Project,
  { overridden, resource }: ResolvedRequest,
  before: string,
): readonly WantedFile[] {
  if (!overridden) return []
  const [singular, plural] = toInflectionRule(resource.names)
  const { irregular, uncountable } = config.inflections
  if (irregular[singular] === plural) return []
  const inflections =
    singular === plural
      ? { irregular, uncountable: [...new Set([...uncountable, singular])] }
      : { irregular: { ...irregular, [singular]: plural }, uncountable }
  return [edit(before, inflections, '+1 inflection')]
}

// Takes back what was noted as `singular:plural`.
export function forgetInflection(
  { config, root }: Project,
  noted: string | undefined,
): readonly WantedFile[] {
  const [singular, plural] = noted?.split(':') ?? []
  if (singular === undefined || plural === undefined) return []
  const { [singular]: _forgotten, ...irregular } = config.inflections.irregular
  const uncountable = config.inflections.uncountable.filter(
    (word) => word !== singular || singular !== plural,
  )
  const before = readText(join(root, configFile)) ?? '{}'
  return [edit(before, { irregular, uncountable }, '−1 inflection')]
}

function edit(before: string, inflections: InflectionRules, detail: string): WantedFile {
  const settings: object = JSON.parse(before)
  const text = printJson({ ...settings, inflections })
  return { kind: 'edit', path: configFile, before, text, detail }
}
