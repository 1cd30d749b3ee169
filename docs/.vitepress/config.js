// @ts-check
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { writeFiles } from './write-files.js'
import { sections } from './sections.js'

// The icon of the page /docs of every API.
const icon = readFileSync(
  new URL('../../packages/core/assets/docs/icon.svg', import.meta.url),
  'utf8',
)

export default defineConfig({
  title: 'create-api',
  description: 'JSON HTTP APIs with Express and MongoDB',
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  srcExclude: ['deploy/**'],
  cleanUrls: false,
  // The pages are also read as plain Markdown, in which `<T>` is text.
  markdown: { html: false, config: configureMarkdown },
  // Addresses of services that the reader runs.
  ignoreDeadLinks: 'localhostLinks',
  buildEnd: writeFiles,
  transformPageData: widenPage,
  themeConfig: {
    nav: [
      { text: 'Start', link: '/getting-started' },
      { text: 'Tutorial', link: '/tutorial/1-a-catalogue' },
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
    search: { provider: 'local', options: { miniSearch: { searchOptions: { boostDocument } } } },
  },
  // The index of the search is loaded when someone searches.
  vite: { build: { chunkSizeWarningLimit: 1000 } },
})

/**
 * Lists guides before the reference, and decisions last.
 *
 * @param {string} id - address of a section
 */
function boostDocument(id) {
  if (id.includes('/decisions/')) return 0.1
  return id.includes('/reference/') ? 0.5 : 1
}

/**
 * Leaves out the list of headings where code or a table needs the width.
 *
 * @param {import('vitepress').PageData} page
 */
function widenPage({ frontmatter, relativePath }) {
  if (/^coming-from\/|^comparison\./.test(relativePath)) frontmatter.aside = false
}

/** @param {import('vitepress').MarkdownRenderer} markdown */
function configureMarkdown(markdown) {
  nameFiles(markdown)
  pairBlocks(markdown)
  unlinkRepositoryFiles(markdown)
  describePage(markdown)
}

/**
 * Shows the name of the file above a block that starts with ```ts [src/app.ts].
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
function nameFiles(markdown) {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    // VitePress removes the name when it renders the block.
    const [, file] = /\[(.+)\]/.exec(tokens[index]?.info ?? '') ?? []
    const html = fence?.(tokens, index, ...rest) ?? ''
    return file ? `<div class="file-name">${markdown.utils.escapeHtml(file)}</div>${html}` : html
  }
}

/**
 * Puts the code after "Before: …" beside the code after "Now: …". Text has to follow each pair.
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
function pairBlocks(markdown) {
  markdown.core.ruler.push('pair-blocks', (state) => {
    let column = ''
    state.tokens = state.tokens.flatMap((token, index, tokens) => {
      const isLabel = token.type === 'paragraph_open'
      const [label = ''] = (isLabel && /^(Before|Now)(?=: )/.exec(tokens[index + 1].content)) || []
      const ends = column === 'Now' && tokens[index - 1].type === 'fence' && token.type !== 'fence'
      if (!label && !ends) return [token]
      column = label
      const html = new state.Token('html_block', '', 0)
      html.content =
        { Before: '<div class="pair"><div>', Now: '</div><div>' }[label] ?? '</div></div>'
      return [html, token]
    })
  })
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

/**
 * Describes a page to search engines by its first paragraph.
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
function describePage(markdown) {
  markdown.core.ruler.push('describe-page', ({ tokens, env }) => {
    const start = tokens.findIndex(({ type }) => type === 'paragraph_open')
    const texts = tokens[start + 1]?.children?.map(({ content, type }) =>
      type === 'softbreak' ? ' ' : content,
    )
    // VitePress writes it into an attribute as it is.
    if (texts) env.frontmatter.description ??= texts.join('').replaceAll('"', "'")
  })
}
