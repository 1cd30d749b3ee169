// @ts-check
// Writes docs/llms.txt, the index of the pages for programs that read documentation (https://llmstxt.org): title and first sentences
// of each. A test fails when it is out of date. Usage: node scripts/docs/llms.js [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sections } from '../../docs/.vitepress/sections.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const target = path.join(root, 'docs/llms.txt')

// Pages that explain why, not how: the format has a section for what can be left out.
const optional = ['Other frameworks', 'Internals']

function render() {
  const lists = sections.filter(({ text }) => text !== 'Decisions')
  const main = lists.filter(({ text }) => !optional.includes(text))
  const rest = lists.filter(({ text }) => optional.includes(text)).flatMap(({ pages }) => pages)
  const { description } = JSON.parse(
    readFileSync(path.join(root, 'packages/core/package.json'), 'utf8'),
  )
  return `# create-api

> ${description}. A library in TypeScript (\`@create-api/core\`, with Express 5, Mongoose 9 and Zod 4) and a command line (\`create-api\`, \`api\`).

These are the pages of the installed version; links are relative to this file. The skill \`../skills/create-api/SKILL.md\` of the package
\`create-api\` shows how to add a resource, a field and a route, and what to run after a change. In a project, \`npx api explain\` looks up
an error code, an option or an environment variable, and \`npx api routes\` lists the routes. Every command has \`--help\` and \`--json\`.

${[...main.map(({ text, pages }) => renderList(text, pages)), renderList('Optional', rest)].join('\n')}`
}

/**
 * @param {string} title
 * @param {readonly [title: string, page: string][]} pages
 */
function renderList(title, pages) {
  const lines = pages.map(([name, page]) => `- [${name}](${page}.md): ${readSummary(page)}\n`)
  return `## ${title}\n\n${lines.join('')}`
}

/** @param {string} page */
function readSummary(page) {
  const text = readFileSync(path.join(root, 'docs', `${page}.md`), 'utf8')
  const [, paragraph = ''] = text.split(/\n\n+/)
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, '$1').replaceAll('\n', ' ')
  const sentences = plain.split(/(?<=\.) /).filter((sentence) => /[.:]$/.test(sentence))
  const summary = sentences.slice(0, 2).join(' ').replace(/:$/, '.')
  if (summary === '') throw new Error(`docs/${page}.md does not begin with a sentence.`)
  return summary
}

const text = render()
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/llms.txt is out of date: run node scripts/docs/llms.js')
  process.exitCode = 1
}
