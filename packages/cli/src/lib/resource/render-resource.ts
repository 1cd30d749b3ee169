import { join, posix } from 'node:path'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { type Project } from '../project/open-project.ts'
import { type PartName, type Resource } from './resource.ts'
import { toScope } from './scope-data.ts'
import { toTemplateData } from './template-data.ts'

/** A file as a template gives it, not yet formatted. */
export interface RenderedText {
  readonly path: string
  readonly text: string
  /** True when one of the project's own templates made it. */
  readonly own: boolean
}

/** A file of a resource. */
export interface RenderedFile extends RenderedText {
  readonly part: PartName
}

// Part, its file, and the templates that follow one another in it; a variation is another template.
function fileList(resource: Resource): readonly (readonly [PartName, readonly string[]])[] {
  const variant = toScope(resource).length > 0 ? '-scoped' : ''
  return [
    ['model', ['model']],
    ['validation', ['validation']],
    ['service', [`service${variant}`]],
    ['controller', [`controller${variant}`]],
    ['routes', ['routes']],
    ['test', toTestTemplates(resource)],
  ]
}

function toTestTemplates({ access, actions }: Resource): readonly string[] {
  const ofActions = (['list', 'create', 'get', 'replace', 'update', 'delete'] as const)
    .filter((action) => actions.includes(action))
    .map((action) => `test-${action}`)
  const collection = actions.includes('list') || actions.includes('create')
  return [
    'test-setup',
    ...ofActions,
    ...(collection ? ['test-methods'] : []),
    ...(access === 'public' ? [] : ['test-access']),
  ]
}

/**
 * Renders the files of a resource.
 *
 * @param project the project
 * @param resource the resource
 * @param wanted the parts to write
 * @returns the files, in the order a reader would open them
 */
export async function renderResource(
  project: Project,
  resource: Resource,
  wanted: readonly PartName[],
): Promise<readonly RenderedFile[]> {
  const { config, root } = project
  const data = toTemplateData(resource, config)
  const folder = posix.join(config.resourcesDir, resource.names.plural)
  const files: RenderedFile[] = []
  for (const [part, names] of fileList(resource)) {
    if (!wanted.includes(part)) continue
    const templates = names.map((name) =>
      loadTemplate(`resource/${name}.ts.hbs`, join(root, config.templates)),
    )
    const texts = await Promise.all(templates.map((template) => renderTemplate(template, data)))
    const path = posix.join(folder, `${resource.names.plural}.${part}.ts`)
    files.push({ part, path, text: texts.join(''), own: templates.some(({ own }) => own) })
  }
  return files
}

/**
 * Tells whether a rendered text may differ from what the project's formatter would write.
 *
 * @param file the file
 * @returns true for own templates and for lines longer than the built-in ones allow
 */
export function needsFormatting(file: Pick<RenderedText, 'own' | 'text'>): boolean {
  return file.own || file.text.split('\n').some((line) => line.length > 100)
}

/**
 * Says where a registry finds a resource's router.
 *
 * @param project the project
 * @param plural plural name of the resource
 * @returns the module specifier, relative to the registry
 */
export function toRouterSpecifier(project: Project, plural: string): string {
  const { importExtension, registry, resourcesDir } = project.config
  const file = posix.join(resourcesDir, plural, `${plural}.routes${importExtension}`)
  const specifier = posix.relative(posix.dirname(registry), file)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
