import { type ZodType } from 'zod'
import { type NamedEndpoint } from './links.ts'
import { toPascal } from './names.ts'
import { type JsonObject, type SchemaComponents } from './schema-components.ts'

/** A request that the API sends to receivers: a member of `webhooks` of the document. */
export interface OpenApiWebhook {
  /**
   * One line about what causes it.
   * @default undefined
   */
  summary?: string | undefined
  /**
   * Description, in Markdown.
   * @default undefined
   */
  description?: string | undefined
  /**
   * Header fields that every request has, with their descriptions.
   * @default {}
   */
  headers?: Readonly<Record<string, string>> | undefined
  /** Schema of the JSON body, as it is sent. */
  body: ZodType
  /** The statuses of receivers, such as `2XX` and `410`, with their meanings. */
  responses: Readonly<Record<string, string>>
}

export type OpenApiWebhooks = Readonly<Record<string, OpenApiWebhook>>

export function toWebhooks(
  webhooks: OpenApiWebhooks | undefined,
  components: SchemaComponents,
  operations: readonly NamedEndpoint[],
): { readonly webhooks?: JsonObject } {
  if (!webhooks) return {}
  const taken = new Set(operations.map(({ operationId }) => operationId))
  const items = Object.fromEntries(
    Object.entries(webhooks).map(([name, webhook]) => {
      const wanted = `send${toPascal(name)}`
      let operationId = wanted
      for (let count = 2; taken.has(operationId); count++) operationId = `${wanted}${count}`
      taken.add(operationId)
      return [name, { post: { operationId, ...toOperation(name, webhook, components) } }]
    }),
  )
  return { webhooks: items }
}

function toOperation(
  name: string,
  webhook: OpenApiWebhook,
  components: SchemaComponents,
): JsonObject {
  const { body, description, headers = {}, responses, summary = name } = webhook
  const schemaName = `${toPascal(name)}Webhook`
  const schema = components.toComponent(components.toOutput(body, schemaName), schemaName)
  const parameters = Object.entries(headers).map(([header, text]) => ({
    name: header,
    in: 'header',
    required: true,
    description: text,
    schema: { type: 'string' },
  }))
  return {
    summary,
    ...(description !== undefined && { description }),
    // Receivers know the sender by what the request contains.
    security: [],
    ...(parameters.length > 0 && { parameters }),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, text]) => [status, { description: text }]),
    ),
  }
}
