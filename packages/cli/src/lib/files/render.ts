import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { CliError } from '../errors/cli-error.ts'
import { readText } from './plan.ts'

export interface Template {
  /** Name inside the templates folder, such as `resource/model.ts.hbs`. */
  readonly name: string
  readonly text: string
  /** True for one of the project's own templates. */
  readonly own: boolean
}

// The project's own template, or else the built-in one.
export function loadTemplate(name: string, ownRoot?: string): Template {
  const own = ownRoot === undefined ? undefined : readText(join(ownRoot, name))
  if (own !== undefined) return { name, text: own, own: true }
  const text = readText(join(templatesRoot, name))
  if (text === undefined) throw new CliError('UNEXPECTED', `template ${name} is missing`)
  return { name, text, own: false }
}

// A file without `.hbs` is copied as it is. An unknown name in a template is an error.
export async function renderTemplate(template: Template, data: object): Promise<string> {
  if (!template.name.endsWith('.hbs')) return template.text
  const { default: handlebars } = await import('handlebars')
  try {
    const render = handlebars.compile(template.text, {
      noEscape: true,
      strict: true,
      knownHelpersOnly: true,
    })
    return render(data)
  } catch (error) {
    throw template.own ? toTemplateError(template, error) : error
  }
}

export function toTemplateError({ name }: Template, cause: unknown): CliError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CliError('USAGE', `your template ${name} does not work: ${reason}`, { cause })
}
