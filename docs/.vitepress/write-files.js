// @ts-check
// Files beside the pages: the pages as Markdown, llms.txt with a list of them, llms-full.txt with all of
// them (llmstxt.org), and the files for deployment that pages link to.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sections } from './sections.js'

/** @param {import('vitepress').SiteConfig} site */
export function writeFiles({ srcDir, outDir, site }) {
  const heading = `# ${site.title}\n\n> ${site.description}\n`
  // Decisions explain the past; who uses the framework does not need them.
  const parts = sections.filter(({ collapsed }) => !collapsed)
  const list = parts.map(({ text, pages }) => {
    const links = pages.map(([title, page]) => `- [${title}](${site.base}${page}.md)\n`)
    return `\n## ${text}\n\n${links.join('')}`
  })
  writeFileSync(path.join(outDir, 'llms.txt'), heading + list.join(''))
  const files = parts.flatMap(({ pages }) => pages.map(([, page]) => `${page}.md`))
  const texts = files.map((file) => readFileSync(path.join(srcDir, file), 'utf8'))
  writeFileSync(path.join(outDir, 'llms-full.txt'), [heading, ...texts].join('\n'))
  for (const file of [...files, 'deploy']) {
    cpSync(path.join(srcDir, file), path.join(outDir, file), { recursive: true })
  }
}
