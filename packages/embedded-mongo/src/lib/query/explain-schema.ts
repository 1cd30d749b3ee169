import { type Doc, getField, isDocument, lookUp } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { compileJsonSchema, passesKeyword } from './json-schema.ts'

// The rules of a schema that a value breaks.
export function explainSchema(schema: Doc, value: unknown): Doc[] {
  return Object.keys(schema)
    .filter((keyword) => !passesKeyword(keyword, schema, value))
    .map((keyword) => explainKeyword(keyword, schema, value))
}

function explainKeyword(keyword: string, schema: Doc, value: unknown): Doc {
  const operand = schema[keyword]
  const explain = lookUp(explainers, keyword)
  if (explain) return { operatorName: keyword, ...explain(operand, value, schema) }
  const reason = lookUp(reasons, keyword)
  return {
    operatorName: keyword,
    specifiedAs: { [keyword]: operand },
    ...(reason === undefined ? {} : { reason }),
    consideredValue: value,
    ...(keyword === 'bsonType' || keyword === 'type' ? { consideredType: typeName(value) } : {}),
  }
}

const explainers: Readonly<Record<string, (operand: unknown, value: unknown, schema: Doc) => Doc>> =
  {
    properties: (operand, value) => ({ propertiesNotSatisfied: explainProperties(operand, value) }),
    required: (operand, value) => ({
      specifiedAs: { required: operand },
      missingProperties: toList(operand).filter(
        (name) => isDocument(value) && getField(value, String(name)) === undefined,
      ),
    }),
    additionalProperties: (operand, value, { properties }) => ({
      specifiedAs: { additionalProperties: operand },
      additionalProperties: Object.keys(isDocument(value) ? value : {}).filter(
        (name) => !(isDocument(properties) && Object.hasOwn(properties, name)),
      ),
    }),
    items(operand, value) {
      const items = toList(value)
      const schemaOf = (index: number): unknown =>
        Array.isArray(operand) ? operand[index] : operand
      const itemIndex = items.findIndex((item, index) => !passes(schemaOf(index), item))
      const failed = schemaOf(itemIndex)
      return {
        reason: 'At least one item did not match the sub-schema',
        itemIndex,
        details: isDocument(failed) ? explainSchema(failed, items[itemIndex]) : [],
      }
    },
    allOf: (operand, value) => ({ schemasNotSatisfied: explainSchemas(operand, value) }),
    anyOf: (operand, value) => ({ schemasNotSatisfied: explainSchemas(operand, value) }),
    oneOf: (operand, value) => ({ schemasNotSatisfied: explainSchemas(operand, value) }),
  }

const reasons: Readonly<Record<string, string>> = {
  bsonType: 'type did not match',
  type: 'type did not match',
  enum: 'value was not found in enum',
  minimum: 'comparison failed',
  maximum: 'comparison failed',
  multipleOf: 'considered value is not a multiple of the specified value',
  minLength: 'specified string length was not satisfied',
  maxLength: 'specified string length was not satisfied',
  pattern: 'regular expression did not match',
  minItems: 'array did not match specified length',
  maxItems: 'array did not match specified length',
  uniqueItems: 'found a duplicate item',
  minProperties: 'specified number of properties was not satisfied',
  maxProperties: 'specified number of properties was not satisfied',
  not: 'child expression matched',
}

function explainProperties(properties: unknown, value: unknown): Doc[] {
  if (!isDocument(properties) || !isDocument(value)) return []
  return Object.entries(properties).flatMap(([propertyName, schema]) => {
    const field = getField(value, propertyName)
    if (!isDocument(schema) || field === undefined || passes(schema, field)) return []
    const { title, description } = schema
    return [
      {
        propertyName,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        details: explainSchema(schema, field),
      },
    ]
  })
}

function explainSchemas(schemas: unknown, value: unknown): Doc[] {
  return toList(schemas).flatMap((schema, index) =>
    isDocument(schema) && !passes(schema, value)
      ? [{ index, details: explainSchema(schema, value) }]
      : [],
  )
}

function passes(schema: unknown, value: unknown): boolean {
  return schema === undefined || compileJsonSchema(schema)(value)
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
