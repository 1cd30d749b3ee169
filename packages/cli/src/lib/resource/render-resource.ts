import { join, posix } from 'node:path'
import { loadTemplate, renderTemplate, type Template } from '../files/render.ts'
import { type Project } from '../project/open-project.ts'
import { type PartName, type Resource } from './resource.ts'
import { toTemplateData } from './template-data.ts'

/** A file of a resource as the templates give it, not yet formatted. */
export interface RenderedFile {
  readonly part: PartName
  readonly path: string
  readonly text: string
  /** True when one of the project's own templates made it. */
  readonly own: boolean
}

// Template and file of each part; a variation is another template.
function fileList(resource: Resource): readonly (readonly [PartName, string, string])[] {
  const variant = resource.access === 'owner' ? '-owner' : ''
  return [
    ['model', 'model.ts.hbs', 'model.ts'],
    ['validation', 'validation.ts.hbs', 'validation.ts'],
    ['service', `service${variant}.ts.hbs`, 'service.ts'],
    ['controller', `controller${variant}.ts.hbs`, 'controller.ts'],
    ['routes', 'routes.ts.hbs', 'routes.ts'],
    ['test', 'test.ts.hbs', 'test.ts'],
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
  for (const [part, templateName, suffix] of fileList(resource)) {
    if (!wanted.includes(part)) continue
    const template: Template = loadTemplate(
      `resource/${templateName}`,
      join(root, config.templates),
    )
    const path = posix.join(folder, `${resource.names.plural}.${suffix}`)
    files.push({ part, path, text: await renderTemplate(template, data), own: template.own })
  }
  return files
}

/**
 * Tells whether a rendered text may differ from what the project's formatter would write.
 *
 * @param file the file
 * @returns true for own templates and for lines longer than the built-in ones allow
 */
export function needsFormatting(file: Pick<RenderedFile, 'own' | 'text'>): boolean {
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
