import { text as literal } from '../code/literals.ts'
import { type WantedFile } from '../files/change.ts'
import { loadTemplate, renderTemplate } from '../files/render.ts'
import { configFile } from '../project/config.ts'
import { printJson } from '../project/print-json.ts'
import { type Layout } from './choose-layout.ts'
import { type Environment } from './read-environment.ts'
import { type Host } from './read-host.ts'

// The files of the API and its configuration.
export async function renderApi(
  host: Host,
  layout: Layout,
  environment: Environment,
): Promise<readonly WantedFile[]> {
  const { extension, folder, mount } = layout
  const data = toData(host, layout, environment)
  const render = async (name: string): Promise<string> => renderTemplate(loadTemplate(name), data)
  return [
    { kind: 'write', path: mount, text: await render('adopt/mount.hbs') },
    ...(mount.endsWith('.cjs')
      ? [
          {
            kind: 'write',
            path: `${folder}/mount.d.cts`,
            text: await render('adopt/types.hbs'),
          } as const,
        ]
      : []),
    { kind: 'write', path: `${folder}/app${extension}`, text: await render('adopt/app.hbs') },
    {
      kind: 'write',
      path: `${folder}/routes${extension}`,
      text: await render('project/src/routes.ts'),
    },
    { kind: 'write', path: configFile, text: toConfig(layout) },
  ]
}

function toData({ manifest, outdated }: Host, layout: Layout, environment: Environment): object {
  const { importExtension, language, mount } = layout
  const toVariable = (name: string): string =>
    language === 'typescript'
      ? `process.env[${literal(name).replaceAll('"', "'")}]`
      : `process.env.${name}`
  const hasOwnConnection = outdated.some(({ name }) => name === 'mongoose')
  return {
    name: (manifest.name ?? 'api').replace(/^@[^/]*\//, '').replaceAll(/[^\w .-]/g, ''),
    typescript: language === 'typescript',
    commonJs: mount.endsWith('.cjs'),
    importExtension,
    ownConnection: hasOwnConnection ? toVariable(environment.database) : undefined,
    ownConnectionName: environment.database,
    databaseVariable:
      hasOwnConnection || environment.database === 'MONGODB_URI'
        ? undefined
        : toVariable(environment.database),
    secretVariable:
      environment.secret === 'JWT_SECRET' ? undefined : toVariable(environment.secret),
  }
}

function toConfig({ extension, folder, importExtension, language }: Layout): string {
  return printJson({
    $schema: './node_modules/create-api/schema.json',
    language,
    srcDir: folder,
    resourcesDir: `${folder}/resources`,
    registry: `${folder}/routes${extension}`,
    templates: `${folder}/templates`,
    ...(language === 'typescript' && { importExtension }),
  })
}
