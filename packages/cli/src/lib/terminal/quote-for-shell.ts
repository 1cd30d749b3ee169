// For commands to paste into bash, zsh or fish.
export function quoteForShell(text: string): string {
  // zsh replaces a word that begins with `=`.
  if (/^(?!=)[\w@%+=:,./-]+$/.test(text)) return text
  return "'" + text.replaceAll("'", String.raw`'\''`) + "'"
}
