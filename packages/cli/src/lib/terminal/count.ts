export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
