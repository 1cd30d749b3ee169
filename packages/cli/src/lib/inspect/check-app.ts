import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { CliError } from '../errors.ts'
import { isOutdatedTemplate } from '../files/ejected-template.ts'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'
import { fine, type Finding, problem, warning } from './check.ts'
import { inspectApp, isPublicWrite } from './inspect-app.ts'
import { apiCommand } from '../terminal/api-command.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Checks that the application can be imported, which reads its environment, and who may write.
 *
 * @param project the project
 * @param env environment of this process
 * @returns what was found
 */
export async function checkApp(project: Project, env: Environment): Promise<readonly Finding[]> {
  try {
    const { routes } = await inspectApp(project, env)
    const open = routes.filter(isPublicWrite).map(({ method, path }) => `${method} ${path}`)
    const findings = [fine(`the application has ${routes.length} routes and a valid environment`)]
    if (open.length === 0) return findings
    return [
      ...findings,
      warning(`anyone may write: ${open.join(', ')}`, 'write another access in their routes files'),
    ]
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const detail = error.details.map((line) => line.trim()).filter((line) => line !== '')
    return [problem([error.message, ...detail.slice(0, 8)].join('\n      '), error.hint)]
  }
}

/**
 * Checks that a database server answers, when one is named.
 *
 * @param project the project
 * @param env environment of this process
 * @returns what was found
 */
export async function checkDatabase(project: Project, env: Environment): Promise<Finding> {
  const uri = env['MONGODB_URI'] ?? readVariable(project, 'MONGODB_URI')
  if (uri === undefined || uri.startsWith('embedded:')) return fine('the embedded database serves')
  const host = /^mongodb:\/\/(?:[^@/]*@)?([^/?,]+)/.exec(uri)?.[1]
  if (host === undefined) return fine('MONGODB_URI names a cluster')
  const [name = '', port = '27017'] = host.split(':')
  return (await answers(name, Number(port)))
    ? fine(`MongoDB answers at ${host}`)
    : warning(`nothing answers at ${host} within 2 s`, 'docker compose up -d mongo')
}

/**
 * Checks that no built-in template has changed since the project took a copy of it.
 *
 * @param project the project
 * @returns what was found
 */
export function checkTemplates(project: Project): readonly Finding[] {
  const root = join(project.root, project.config.templates)
  return ['resource', 'middleware', 'migration'].flatMap((folder) =>
    listFolder(join(root, folder)).flatMap((name) => {
      const template = `${folder}/${name}`
      const text = readText(join(root, template)) ?? ''
      const outdated = isOutdatedTemplate(template, text)
      return outdated
        ? [
            warning(
              `${template} has changed since you took it`,
              `compare with ${apiCommand} templates eject`,
            ),
          ]
        : []
    }),
  )
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readVariable(project: Project, name: string): string | undefined {
  const text = readText(join(project.root, '.env')) ?? ''
  return new RegExp(`^${name}=["']?([^"'\\n]+)`, 'm').exec(text)?.[1]
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 2000 })
    const end = (result: boolean): void => {
      socket.destroy()
      done(result)
    }
    socket.on('connect', () => end(true))
    socket.on('timeout', () => end(false))
    socket.on('error', () => end(false))
  })
}
