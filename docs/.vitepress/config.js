// @ts-check
import { defineConfig } from 'vitepress'
import { writeFiles } from './write-files.js'
import { sections } from './sections.js'

export default defineConfig({
  title: 'create-api',
  description: 'JSON HTTP APIs with Express and MongoDB',
  lang: 'en-US',
  srcExclude: ['deploy/**'],
  cleanUrls: false,
  // The pages are also read as plain Markdown, in which `<T>` is text.
  markdown: { html: false, config: configureMarkdown },
  // Addresses of services that the reader runs.
  ignoreDeadLinks: 'localhostLinks',
  buildEnd: writeFiles,
  themeConfig: {
    nav: [
      { text: 'Start', link: '/getting-started' },
      { text: 'Guides', link: '/tasks' },
      { text: 'API', link: '/api' },
      { text: 'Command line', link: '/cli' },
    ],
    sidebar: sections.map(({ text, pages, collapsed }) => ({
      text,
      collapsed,
      items: pages.map(([title, page]) => ({ text: title, link: `/${page}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [],
  },
})

/** @param {import('vitepress').MarkdownRenderer} markdown */
function configureMarkdown(markdown) {
  nameFiles(markdown)
  unlinkRepositoryFiles(markdown)
}

/**
 * Shows the name of the file above a block that starts with ```ts [src/app.ts].
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
function nameFiles(markdown) {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const html = fence?.(tokens, index, ...rest) ?? ''
    const [, file] = /\[(.+)\]/.exec(tokens[index]?.info ?? '') ?? []
    return file ? `<div class="file-name">${markdown.utils.escapeHtml(file)}</div>${html}` : html
  }
}

/**
 * Links to files of the repository that are not pages become text.
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
function unlinkRepositoryFiles(markdown) {
  markdown.core.ruler.after('inline', 'unlink-repository-files', ({ tokens, env }) => {
    const depth = env.relativePath.split('/').length - 1
    const outside = '../'.repeat(depth + 1)
    for (const { children } of tokens) {
      let inside = false
      for (const token of children ?? []) {
        const opens = token.type === 'link_open' && token.attrGet('href')?.startsWith(outside)
        if (opens) inside = true
        if (!opens && !(inside && token.type === 'link_close')) continue
        if (!opens) inside = false
        Object.assign(token, { type: 'text', content: '', nesting: 0 })
      }
    }
  })
}
