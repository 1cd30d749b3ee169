import { FieldProblem, type Token } from './field-argument.ts'

const accepted = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

// Set by the database or the framework.
export const ownedFields: readonly string[] = ['_id', 'id', '__v', 'createdAt', 'updatedAt']

// Those that every object inherits: Mongoose takes the inherited function for a value of a filter that lacks the name.
const prototypeFields = [...Object.getOwnPropertyNames(Object.prototype), 'prototype']

// Names of document members: those Mongoose warns about, and those that break it silently.
export const mongooseFields: readonly string[] =
  `validate toObject save remove populated isNew isModified init get errors collection
  removeListener listeners emit prototype set on once db toJSON markModified
  modifiedPaths`.split(/\s+/)

// Rejects names that the database, Mongoose or the language uses, also as parts of a dotted name.
export function requireFieldName(argument: string, token: Token): void {
  let { start } = token
  for (const text of token.text.split('.')) {
    const reason = problem(text)
    if (reason !== undefined) {
      throw new FieldProblem(reason.message, {
        argument,
        token: { text, start },
        hint: reason.hint,
      })
    }
    start += text.length + 1
  }
}

function problem(name: string): { message: string; hint?: string } | undefined {
  if (name === '') return { message: 'a field name is missing', hint: 'for example title:string' }
  if (ownedFields.includes(name)) {
    return { message: `field "${name}" is set by the framework`, hint: 'remove it' }
  }
  if (prototypeFields.includes(name) || mongooseFields.includes(name)) {
    return { message: `field name "${name}" is reserved`, hint: 'choose another name' }
  }
  if (!accepted.test(name)) {
    return {
      message: `${JSON.stringify(name)} is not a field name`,
      hint: 'letters, digits and "_", starting with a letter',
    }
  }
  return undefined
}
