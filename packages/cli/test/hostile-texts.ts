import { array, constantFrom, oneof, string } from 'fast-check'

// What could end a literal, a comment, a template or a line, or change what a reader sees.
const payloads = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  '${globalThis.alert(1)}',
  '*/',
  '/*',
  '//',
  "'+globalThis.alert(1)+'",
  '"+globalThis.alert(1)+"',
  '`+globalThis.alert(1)+`',
  "');globalThis.alert(1);('",
  '*/globalThis.alert(1)/*',
  '\n',
  '\r',
  '\r\n*/globalThis.alert(1)//',
  '\u2028',
  '\u2029globalThis.alert(1)//',
  '\u0000',
  '\u001B[2J',
  '\u009B1A',
  '\u202E',
  '\u2066',
  '\uFEFF',
  '\uD800',
  '\u{E0001}',
  '</script>',
  '{{this}}',
  '{{{constructor}}}',
  '{{/if}}',
  '$(touch PWNED)',
  ';touch PWNED',
  '__proto__',
  'constructor',
  'toString',
  '%',
  '%2e%2e',
  '..',
  '@ts-ignore',
  '[globalThis.alert(1)]',
  '<T>',
  '=>',
  '#!',
  '日本',
  '😀',
]

/** Texts that a generator must keep inside of literals and comments. */
export const hostileTexts = array(
  oneof(
    { weight: 4, arbitrary: constantFrom(...payloads) },
    { weight: 2, arbitrary: constantFrom('a', 'posts', 'Title', '1', '-', ' ', '/', ':') },
    { weight: 1, arbitrary: string({ unit: 'binary', maxLength: 3 }) },
  ),
  { minLength: 1, maxLength: 4 },
).map((parts) => parts.join(''))

/**
 * The same text with hyphens for all characters that mean something in source. Its words are the same, and therefore the
 * names that are made of it; so are its braces, which make parameters of a path.
 */
export function toHarmless(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9/{}%.:@ -]/gu, '-')
}
