import { CliError } from '../errors/cli-error.ts'

const accepted = /^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)*$/
const longest = 64

export function splitWords(input: string, what: string): readonly string[] {
  if (input.length > longest) {
    throw new CliError('INVALID_NAME', `${what} name is longer than ${longest} characters`)
  }
  if (!accepted.test(input)) {
    throw new CliError('INVALID_NAME', `${JSON.stringify(input)} is not a ${what} name`, {
      hint: invalidNameHint(input),
    })
  }
  return input
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[_-]/)
}

function invalidNameHint(input: string): string {
  const rule = 'use letters, digits, "-" and "_", and begin with a letter'
  const cleaned = input
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .replaceAll(/[_-]{2,}/g, '-')
    .replace(/[_-]+$/, '')
  return cleaned.length > 0 && cleaned.length <= longest ? `${rule}, for example ${cleaned}` : rule
}
