import { type Api } from '@create-api/core'
import { isJsonObject, type JsonObject, objectAt, textAt } from './json.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string | undefined
  readonly schema: JsonObject
}

/** One operation of the OpenAPI document. */
export interface Operation {
  /** In upper case. */
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: Content | undefined
  /** The response of a success. */
  readonly response: Success
}

/** A body: its media types and the schema of the one that is JSON. */
export interface Content {
  readonly types: readonly string[]
  readonly json: { readonly type: string; readonly schema: JsonObject } | undefined
  readonly required: boolean
}

export interface Success {
  readonly status: number
  readonly content: Content | undefined
  readonly hasEtag: boolean
}

export interface Operations {
  readonly all: readonly Operation[]
  /** The components that schemas refer to. */
  readonly schemas: JsonObject
}

// The operations that the OpenAPI document of an API describes, so that tools and document cannot differ.
export function readOperations(document: NonNullable<Api['openapi']>): Operations {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      readOperation(
        { method, path, operation: isJsonObject(operation) ? operation : {} },
        document,
      ),
    ),
  )
  return { all, schemas: objectAt(document.components, 'schemas') }
}

interface Described {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

function readOperation(
  { method, path, operation }: Described,
  { components }: NonNullable<Api['openapi']>,
): Operation {
  const { parameters = [], requestBody } = operation
  const bodies = objectAt(components, 'requestBodies')
  return {
    method: method.toUpperCase(),
    path,
    summary: textAt(operation, 'summary') ?? '',
    description: textAt(operation, 'description') ?? '',
    parameters: Array.isArray(parameters) ? parameters.flatMap(readParameter) : [],
    body: isJsonObject(requestBody) ? readContent(follow(requestBody, bodies)) : undefined,
    response: readSuccess(objectAt(operation, 'responses')),
  }
}

function readParameter(parameter: unknown): Parameter[] {
  if (!isJsonObject(parameter)) return []
  const { in: place, name } = parameter
  if (typeof name !== 'string') return []
  if (place !== 'path' && place !== 'query' && place !== 'header') return []
  const description = textAt(parameter, 'description')
  const required = parameter['required'] === true
  return [{ name, in: place, required, description, schema: objectAt(parameter, 'schema') }]
}

function readSuccess(responses: JsonObject): Success {
  const [status = '204'] = Object.keys(responses).filter((code) => code.startsWith('2'))
  const response = objectAt(responses, status)
  return {
    status: Number(status),
    content: 'content' in response ? readContent(response) : undefined,
    hasEtag: 'ETag' in objectAt(response, 'headers'),
  }
}

function readContent(described: JsonObject): Content {
  const content = objectAt(described, 'content')
  const types = Object.keys(content)
  const type = types.find((one) => /^application\/(?:[\w.-]+\+)?json$/.test(one))
  return {
    types,
    json: type === undefined ? undefined : { type, schema: objectAt(content[type], 'schema') },
    required: described['required'] === true,
  }
}

// The component that an object refers to, or the object itself.
export function follow(object: JsonObject, components: JsonObject): JsonObject {
  const reference = textAt(object, '$ref')
  return reference === undefined
    ? object
    : follow(objectAt(components, toName(reference)), components)
}

export function toName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
