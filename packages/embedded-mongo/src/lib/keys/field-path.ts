import { CommandError } from '../errors/command-error.ts'

export function parseFieldPath(path: string): string[] {
  const parts = path.split('.')
  if (path === '') {
    throw new CommandError('Location40352', 'FieldPath cannot be constructed with empty string')
  }
  if (path.endsWith('.'))
    throw new CommandError('Location40353', "FieldPath must not end with a '.'.")
  if (parts.includes('')) {
    throw new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
  }
  if (parts.some((part) => part.startsWith('$'))) {
    throw new CommandError(
      'Location16410',
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    )
  }
  return parts
}
