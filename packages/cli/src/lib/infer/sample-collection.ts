import { isJson } from '../client/document.ts'
import { CliError } from '../errors/cli-error.ts'
import { didYouMean } from '../errors/suggest-name.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { type Project } from '../project/open-project.ts'
import { createMembers, type Members, observeObject } from './observe.ts'

interface Sample {
  /** Of the database. */
  readonly collections: readonly string[]
  /** Documents as Extended JSON. */
  readonly documents: readonly string[]
}

const script = `async (api, { name, size }) => {
  const { withDatabase } = await import('@create-api/core')
  const { default: mongoose } = await import('mongoose')
  const { EJSON } = mongoose.mongo.BSON
  let sample
  await withDatabase(api, async () => {
    const { db } = mongoose.connection
    const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name)
    const found = await db.collection(name).aggregate([{ $sample: { size } }]).toArray()
    sample = { collections, documents: found.map((one) => EJSON.stringify(one)) }
  })
  return sample
}`

const size = 1000

// Reads random documents of a collection of the application's database.
export async function sampleCollection(
  project: Project,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Members> {
  const input = { name, size }
  const { collections, documents } = await runInApp<Sample>(project, script, { env, input })
  const members = createMembers()
  for (const text of documents) {
    const document: unknown = JSON.parse(text)
    if (isJson(document)) observeObject(members, document)
  }
  if (members.objects > 0) return members
  throw new CliError('USAGE', `the collection ${name} has no documents`, {
    hint: didYouMean(name, collections),
    details: [`  collections  ${collections.join(', ') || 'none'}`],
  })
}
