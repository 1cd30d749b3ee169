import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError } from '../errors/cli-error.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { type Project } from '../project/open-project.ts'
import { type ResourcePlan } from '../resource/plan-resource.ts'

/** Documents that break the validation at one place. */
export interface DataFault {
  /** Path of the field; items of lists and values of maps are `*`. */
  readonly path: string
  readonly message: string
  readonly documents: number
  /** The first of them; values of hidden fields are left out. */
  readonly examples: readonly { readonly id: string; readonly value?: unknown }[]
}

export interface DataCheck {
  readonly documents: number
  readonly faults: readonly DataFault[]
}

// Reads the whole collection, one document at a time, as a client would send it.
const script = `async (api, { collection, filter, hidden, name, url }) => {
  const { withDatabase } = await import('@create-api/core')
  const { createSerializer } = await import('@create-api/core/resource')
  const { default: mongoose } = await import('mongoose')
  const { [name]: schema } = await import(url)
  const write = createSerializer(schema, { strict: false })
  const faults = new Map()
  let documents = 0

  // In JSON, integers of any size are text.
  const isInteger = (issue, value) => issue.expected === 'bigint' && /^-?\\d+$/.test(value)

  function count(id, issue, value) {
    const path = issue.path.map((part) => (typeof part === 'number' ? '*' : part)).join('.')
    const key = path + '\\0' + issue.message
    const fault = faults.get(key) ?? { path, message: issue.message, documents: 0, examples: [], last: undefined }
    faults.set(key, fault)
    if (fault.last === id) return
    fault.last = id
    fault.documents += 1
    const isShown = value !== undefined && !hidden.includes(issue.path[0])
    if (fault.examples.length < 3) fault.examples.push(isShown ? { id, value } : { id })
  }

  await withDatabase(api, async () => {
    for await (const document of mongoose.connection.db.collection(collection).find(filter)) {
      documents += 1
      const body = JSON.parse(JSON.stringify(write(document)))
      for (const issue of schema.safeParse(body).error?.issues ?? []) {
        const value = issue.path.reduce((part, key) => part?.[key], body)
        if (!isInteger(issue, value)) count(String(document._id), issue, value)
      }
    }
  })
  return { documents, faults: [...faults.values()].map(({ last, ...fault }) => fault) }
}`

export async function checkData(
  project: Project,
  { files, resource }: ResourcePlan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DataCheck> {
  const { existing, names } = resource
  const validation = files.find(
    (file) => file.kind === 'write' && /\.validation\.[jt]s$/.test(file.path),
  )
  if (existing === undefined || validation?.kind !== 'write') {
    throw new CliError('USAGE', '--check-data needs --from-model and the part validation')
  }
  const { description, secret } = existing
  const { discriminator } = description
  const filter =
    discriminator?.value === undefined ? {} : { [discriminator.key]: discriminator.value }
  // Beside the manifest, where it finds the packages of the project.
  const path = join(project.root, `.api/check-${process.pid}${validation.path.slice(-3)}`)
  writeFileSync(path, validation.text)
  try {
    const input = {
      collection: description.collection,
      filter,
      hidden: secret,
      name: `create${names.model}`,
      url: pathToFileURL(path).href,
    }
    return await runInApp<DataCheck>(project, script, { env, input })
  } finally {
    rmSync(path)
  }
}
