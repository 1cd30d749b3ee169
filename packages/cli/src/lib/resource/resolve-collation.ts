import { CliError } from '../errors/cli-error.ts'

export function resolveCollation(locale: string | undefined): string | undefined {
  if (locale === undefined || isLocale(locale)) return locale
  throw new CliError('USAGE', `--collation ${locale}: that is not a locale of MongoDB`, {
    hint: 'write a language such as en, or with its region: fr_CA',
  })
}

function isLocale(text: string): boolean {
  if (!/^[a-z]{2,3}(_[A-Z][A-Za-z]{1,3})?$/.test(text)) return false
  return Intl.Collator.supportedLocalesOf(text.replace('_', '-')).length > 0
}
