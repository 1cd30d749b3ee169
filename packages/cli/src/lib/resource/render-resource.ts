import { join, posix } from 'node:path'
import { addImports, type ModuleExports } from '../code/add-imports.ts'
import { dropUnused } from '../code/drop-unused.ts'
import { toJavaScript } from '../code/to-javascript.ts'
import { addExamples } from '../fields/match-examples.ts'
import { loadTemplate, renderTemplate, toTemplateError } from '../files/render.ts'
import { CliError } from '../errors/cli-error.ts'
import { type Project } from '../project/open-project.ts'
import { type ActionName, isChange, listedActions } from './actions.ts'
import { importsOf } from './imports.ts'
import { type PartName, type Resource, toPartPath } from './resource.ts'
import { toActionFlags, hasRules, toTemplateData } from './template-data.ts'
import { hasTenantTests, findTestable } from './test-data.ts'

// A file as the templates give it, with its imports, not yet formatted.
export interface RenderedFile {
  readonly path: string
  readonly text: string
}

// In the order a reader would open them.
export async function renderResource(
  project: Project,
  resource: Resource,
  wanted: readonly PartName[],
): Promise<readonly RenderedFile[]> {
  const { config } = project
  const { plural } = resource.names
  const complete = { ...resource, fields: await addExamples(resource.fields) }
  const data = toTemplateData(complete, config)
  const tested = { ...complete, actions: findTestable(resource) }
  const testData = {
    ...toTemplateData(tested, config),
    deleted: resource.softDelete && tested.actions.includes('delete'),
    serves: toActionFlags(resource),
  }
  const parts = listTemplates(resource).filter(([part]) => wanted.includes(part))
  return Promise.all(
    parts.map(async ([part, templates]) => ({
      path: toPartPath(config, plural, part),
      text: await renderFile(
        project,
        templates.map((name) => `resource/${name}.ts.hbs`),
        {
          imports: importsOf(resource, part, config),
          data: part === 'test' ? testData : data,
          // Which helpers the tests need follows from the names in them.
          ...(part === 'test' && { edit: dropUnused }),
        },
      ),
    })),
  )
}

// The parts and the templates that follow one another in the file of each.
function listTemplates(resource: Resource): readonly (readonly [PartName, readonly string[]])[] {
  return [
    ['model', ['model']],
    ['validation', ['validation']],
    ['service', ['service']],
    ['controller', ['controller']],
    ['routes', ['routes']],
    ['test', listTestTemplates(resource)],
  ]
}

function listTestTemplates(resource: Resource): readonly string[] {
  const { tenant } = resource
  const actions = findTestable(resource)
  const ofActions = listedActions
    .filter((action) => actions.includes(action))
    .map((action) => `test-${action}`)
  const hasCollection = actions.includes('list') || actions.includes('create')
  return [
    'test-setup',
    ...ofActions,
    ...listFeatureTemplates(resource, actions),
    ...(hasCollection ? ['test-methods'] : []),
    hasRules(resource) ? 'test-access-rules' : 'test-access',
    ...(tenant !== undefined && hasTenantTests({ ...resource, actions }) ? ['test-tenant'] : []),
  ]
}

function listFeatureTemplates(
  { bulk, live, parent, softDelete }: Resource,
  actions: readonly ActionName[],
): readonly string[] {
  return [
    ...(live && actions.includes('list') ? ['test-live'] : []),
    ...(bulk && actions.some(isChange) ? ['test-bulk'] : []),
    ...(softDelete && actions.includes('delete') ? ['test-restore'] : []),
    ...(parent?.softDelete ? ['test-deleted-parent'] : []),
  ]
}

interface TemplateInput {
  readonly data: object
  readonly imports: ModuleExports
  /** Changes the code before what it uses is imported. */
  readonly edit?: (text: string) => Promise<string>
}

// Renders templates into one file, which imports what its text uses, in the language of the project.
export async function renderFile(
  { config, root }: Project,
  names: readonly string[],
  { data, edit, imports }: TemplateInput,
): Promise<string> {
  const templates = names.map((name) => loadTemplate(name, join(root, config.templates)))
  try {
    const texts = await Promise.all(templates.map((template) => renderTemplate(template, data)))
    const text = texts.join('\n')
    const code = await addImports(edit ? await edit(text) : text, imports)
    return config.language === 'javascript' ? await toJavaScript(code) : code
  } catch (error) {
    const own = templates.find((template) => template.own)
    // Rendering has its own error.
    throw own === undefined || error instanceof CliError ? error : toTemplateError(own, error)
  }
}

// Where a registry finds a resource's router, relative to the registry.
export function toRouterSpecifier(project: Project, plural: string): string {
  const { importExtension, registry, resourcesDir } = project.config
  const file = posix.join(resourcesDir, plural, `${plural}.routes${importExtension}`)
  const specifier = posix.relative(posix.dirname(registry), file)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
