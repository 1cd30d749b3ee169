import { accountModel } from '../names/reserved.ts'
import { toResourceNames } from '../names/resource-names.ts'
import { type Project } from '../project/open-project.ts'

// Returns the model of the project that a word names, in singular or plural.
export function createModelFinder({ config, manifest }: Project) {
  const models = new Set([
    accountModel,
    ...Object.values(manifest.resources).map(({ model }) => model),
  ])
  return (word: string): string | undefined => {
    const { model } = toResourceNames(word, config.inflections, {})
    return models.has(model) ? model : undefined
  }
}
