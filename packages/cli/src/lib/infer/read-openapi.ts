import { extname, resolve } from 'node:path'
import { parse } from 'yaml'
import { Document, isJson, toJson } from '../client/document.ts'
import { parseDocument } from '../client/read-source.ts'
import { CliError } from '../errors/cli-error.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { readText } from '../files/plan.ts'
import { isDeeperThan } from './is-deeper-than.ts'
import { type SchemaSource } from './fields-of-schema.ts'

// Reads a schema of an OpenAPI document: `openapi.json#/components/schemas/Post`, or `openapi.yaml#Post`.
export function readSchema(cwd: string, place: string): SchemaSource {
  const [file = '', fragment = ''] = place.split(/#(.*)/s, 2)
  const document = new Document(readDocument(cwd, file))
  const names = Object.keys(toJson(toJson(document.root['components'])['schemas']))
  const pointer = fragment.startsWith('/') ? `#${fragment}` : `#/components/schemas/${fragment}`
  const schema = document.find(pointer)
  if (fragment !== '' && schema) return { document, schema: { $ref: pointer }, name: pointer }
  throw new CliError(
    'USAGE',
    fragment === '' ? 'the name of a schema is missing' : `${file} has no schema ${fragment}`,
    {
      hint:
        names.length === 0
          ? 'the document has no components/schemas'
          : suggestName(
              `${file}#${fragment}`,
              names.map((name) => `${file}#${name}`),
            ),
    },
  )
}

const maxDepth = 500

function readDocument(cwd: string, file: string) {
  const text = readText(resolve(cwd, file))
  if (text === undefined) throw new CliError('INVALID_DOCUMENT', `there is no file ${file}`)
  const value = ['.yaml', '.yml'].includes(extname(file).toLowerCase())
    ? parseYaml(text, file)
    : parseDocument(text, file)
  if (isDeeperThan(maxDepth, value)) {
    throw new CliError('INVALID_DOCUMENT', `${file} is nested more deeply than ${maxDepth} levels`)
  }
  if (isJson(value) && isJson(value['components'])) return value
  throw new CliError('INVALID_DOCUMENT', `${file} is not an OpenAPI document with components`)
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
    throw new CliError('INVALID_DOCUMENT', `${file} is not YAML: ${reason}`, { cause })
  }
}
