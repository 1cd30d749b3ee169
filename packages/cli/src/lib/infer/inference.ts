import { FieldProblem } from '../fields/field-argument.ts'
import { parseField } from '../fields/parse-field.ts'
import { ownedFields } from '../fields/require-field-name.ts'

/** How well what was read supports a type. */
export type Certainty = 'certain' | 'likely' | 'guess'

/** A field as an argument of the generator, and what it follows from. */
export interface InferredField {
  readonly argument: string
  readonly certainty: Certainty
  readonly reason: string
}

export interface Inference {
  /** What the fields follow from: `60 documents`. */
  readonly source: string
  readonly fields: readonly InferredField[]
  /** Fields that cannot be generated, with the reasons. */
  readonly omitted: readonly { readonly name: string; readonly reason: string }[]
}

/** A type of the grammar, with its modifiers. */
export interface InferredType extends Omit<InferredField, 'argument'> {
  readonly text: string
}

export type FindModel = (word: string) => string | undefined

export function guess(text: string, reason: string): InferredType {
  return { text, certainty: 'guess', reason }
}

// Why a name cannot be a field; undefined if it can.
export function findNameFault(name: string, path: string): string | undefined {
  if (ownedFields.includes(name)) return 'is set by the framework'
  return findFault(`${path}:any`, { name, path })
}

// Why an argument is not that of the field at a path; undefined if it is.
export function findFault(
  argument: string,
  { name, path }: { readonly name: string; readonly path: string },
): string | undefined {
  try {
    const isWhole = parseField(argument).name === path && !name.includes('.')
    return isWhole ? undefined : `${JSON.stringify(name)} is not a field name`
  } catch (error) {
    if (error instanceof FieldProblem) return error.message
    throw error
  }
}

// The type of an id: a reference if the name of its field is that of a model.
export function chooseReference(path: string, findModel: FindModel): InferredType {
  // In an object a reference is only an id.
  const word = /^([a-z]\w*?)(_?ids?)?$/i.exec(path)?.[1]
  const model = word === undefined ? undefined : findModel(word)
  if (model === undefined) return { text: 'objectid', certainty: 'certain', reason: '' }
  return { text: `ref:${model}`, certainty: 'likely', reason: `named like the model ${model}` }
}
