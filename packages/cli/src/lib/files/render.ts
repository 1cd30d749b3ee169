import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { CliError } from '../errors.ts'
import { readText } from './plan.ts'

/** A template and where it was found. */
export interface Template {
  /** Name below the templates folder, such as `resource/model.ts.hbs`. */
  readonly name: string
  readonly text: string
  /** True for a template of the project's own. */
  readonly own: boolean
}

/**
 * Reads a template, the project's own before the built-in one.
 *
 * @param name name below the templates folder
 * @param ownRoot folder of the project's own templates
 * @returns the template
 * @throws CliError `UNEXPECTED` when neither exists
 */
export function loadTemplate(name: string, ownRoot?: string): Template {
  const own = ownRoot === undefined ? undefined : readText(join(ownRoot, name))
  if (own !== undefined) return { name, text: own, own: true }
  const text = readText(join(templatesRoot, name))
  if (text === undefined) throw new CliError('UNEXPECTED', `template ${name} is missing`)
  return { name, text, own: false }
}

/**
 * Fills a template in. An unknown name in it is an error, never an empty text.
 *
 * @param template the template; a name without `.hbs` is taken as it is
 * @param data the values it may use
 * @returns the text
 * @throws CliError `USAGE` when one of the project's own templates does not work
 */
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
    if (!template.own) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('USAGE', `your template ${template.name} does not work: ${reason}`, {
      cause: error,
    })
  }
}
