import { connect } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { CliError } from '../errors/cli-error.ts'
import { findOutdatedTemplates } from '../files/ejected-template.ts'
import { readText } from '../files/plan.ts'
import { configFile } from '../project/config.ts'
import { type Project } from '../project/open-project.ts'
import { ok, type Finding, problem, warning } from './findings.ts'
import { comparePublicWrites, inspectApp, outdatedWrite, type ServedRoute } from './inspect-app.ts'
import { apiCommand } from '../terminal/api-command.ts'

type Environment = Readonly<Record<string, string | undefined>>

export async function checkApp(project: Project, env: Environment): Promise<readonly Finding[]> {
  try {
    const { routes } = await inspectApp(project, env)
    const { outdated, unlisted } = comparePublicWrites(project, routes)
    return [
      ok(`the application has ${routes.length} routes and a valid environment`),
      ...(unlisted.length === 0
        ? []
        : [
            warning(
              `anyone may write: ${unlisted.join(', ')}`,
              `set another access in their routes files, or list them in ${configFile} as "publicWrites"`,
            ),
          ]),
      ...outdated.map((route) => warning(outdatedWrite(route), 'remove it from "publicWrites"')),
      ...findPastSunsets(routes).map(({ method, path, sunset }) =>
        warning(
          `${method} ${path} is served after its sunset of ${sunset.slice(0, 10)}`,
          'remove the route when clients no longer call it, or set a later sunset',
        ),
      ),
    ]
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const detail = error.details.map((line) => line.trim()).filter((line) => line !== '')
    return [problem([error.message, ...detail.slice(0, 8)].join('\n      '), error.hint)]
  }
}

function findPastSunsets(
  routes: readonly ServedRoute[],
): readonly (ServedRoute & { readonly sunset: string })[] {
  return routes.flatMap((route) => {
    const { sunset } = route
    return sunset !== undefined && Date.parse(sunset) <= Date.now() ? [{ ...route, sunset }] : []
  })
}

export async function checkDatabase(project: Project, env: Environment): Promise<Finding> {
  const uri =
    env['MONGODB_URI'] ?? parseEnv(readText(join(project.root, '.env')) ?? '')['MONGODB_URI']
  if (uri === undefined || uri === '' || uri.startsWith('embedded:')) {
    return ok('the embedded database is in use')
  }
  const host = /^mongodb:\/\/(?:[^@/]*@)?([^/?,]+)/.exec(uri)?.[1]
  if (host === undefined) return ok('MONGODB_URI refers to a cluster')
  const [name = '', port = '27017'] = host.split(':')
  return (await isListening(name, Number(port)))
    ? ok(`MongoDB is reachable at ${host}`)
    : warning(`MongoDB is not reachable at ${host} within 2 s`, 'docker compose up -d mongo')
}

// Copies of built-in templates that have changed since.
export function checkTemplates({ config, root }: Project): readonly Finding[] {
  return findOutdatedTemplates(join(root, config.templates)).map((name) =>
    warning(
      `the built-in ${name} has changed since you copied it`,
      `compare it with: ${apiCommand} templates eject`,
    ),
  )
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 2000 })
    const finish = (result: boolean): void => {
      socket.destroy()
      done(result)
    }
    socket.on('connect', () => finish(true))
    socket.on('timeout', () => finish(false))
    socket.on('error', () => finish(false))
  })
}
