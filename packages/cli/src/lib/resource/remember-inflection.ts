import { type WantedFile } from '../files/change.ts'
import { toInflectionRule } from '../names/resource-names.ts'
import { configFile } from '../project/config.ts'
import { printJson } from '../project/print-json.ts'
import { type Project } from '../project/open-project.ts'
import { type ResolvedRequest } from './resolve-request.ts'

export function rememberInflection(
  project: Project,
  request: ResolvedRequest,
  before: string,
): readonly WantedFile[] {
  const { overridden, resource } = request
  if (!overridden) return []
  const [singular, plural] = toInflectionRule(resource.names)
  const { irregular, uncountable } = project.config.inflections
  if (irregular[singular] === plural) return []
  const settings: object = JSON.parse(before)
  const inflections =
    singular === plural
      ? { irregular, uncountable: [...new Set([...uncountable, singular])] }
      : { irregular: { ...irregular, [singular]: plural }, uncountable }
  const text = printJson({ ...settings, inflections })
  return [{ kind: 'edit', path: configFile, before, text, detail: '+1 inflection' }]
}
