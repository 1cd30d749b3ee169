/**
 * Quotes a word of a command that a person may paste; nothing of ours goes through a shell.
 *
 * @param text the word
 * @returns the same word in bash, zsh and fish
 */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
