export function count(number: number, word: string, plural = `${word}s`): string {
  return `${number} ${number === 1 ? word : plural}`
}
