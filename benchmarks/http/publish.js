// Where results go.
import { writeFileSync } from 'node:fs'

/**
 * Prints the results of a run and keeps them as JSON and Markdown, by the version of Node.
 * @param result - what was measured, with the description of the run
 * @param options - the options of the command line, what was measured and the writer of the report
 */
export function publish(result, { options, prefix = '', toMarkdown }) {
  const json = JSON.stringify(result)
  if (options.json) {
    process.stdout.write(`${json}\n`)
    return
  }
  const markdown = toMarkdown(result)
  process.stdout.write(markdown)
  const major = result.node.split('.')[0].slice(1)
  const name = options.out ?? `${prefix}node${major}${options.quick ? '-quick' : ''}`
  writeFileSync(new URL(`../results/${name}.json`, import.meta.url), `${json}\n`)
  writeFileSync(new URL(`../results/${name}.md`, import.meta.url), markdown)
}
