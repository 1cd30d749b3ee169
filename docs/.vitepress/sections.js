// The pages of the site, in their order; a page that is missing here fails the test of the site.
import { readdirSync, readFileSync } from 'node:fs'

const docs = new URL('..', import.meta.url)

/** @type {{ text: string, pages: [title: string, page: string][], collapsed?: boolean }[]} */
export const sections = [
  { text: 'Start', pages: [['Getting started', 'getting-started']] },
  { text: 'Tutorial: a library', pages: listFolder('tutorial') },
  {
    text: 'Other frameworks',
    pages: [
      ...listFolder('coming-from'),
      ['Comparison', 'comparison'],
      ['When not to use it', 'when-not-to-use'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['Guides by task', 'tasks'],
      ['Resources', 'resources'],
      ['Authentication', 'auth'],
      ['Second factor, passkeys and other logins', 'sign-in'],
      ['Access rules', 'access'],
      ['Organizations', 'tenants'],
      ['Uploads and streams', 'uploads-and-streams'],
      ['Live lists', 'live-lists'],
      ['Background jobs', 'jobs'],
      ['Events', 'events'],
      ['Webhooks', 'webhooks'],
      ['Audit trail', 'audit'],
      ["A person's data", 'personal-data'],
      ['The client', 'client'],
      ['Tools for programs (MCP)', 'mcp'],
      ['Models that exist', 'existing-models'],
      ['Your own shapes', 'own-shapes'],
      ['Migrations', 'migrations'],
      ['Upgrading a project', 'upgrade'],
      ['The embedded database', 'database'],
      ['Moving to MongoDB', 'from-embedded-to-mongodb'],
      ['Logs, metrics and traces', 'observability'],
      ['Scaling', 'scaling'],
      ['Security', 'security'],
      ['Performance', 'performance'],
    ],
  },
  { text: 'Recipes', pages: listFolder('recipes') },
  {
    text: 'Reference',
    pages: [
      ['Configuration', 'configuration'],
      ['Command line', 'cli'],
      ['Errors', 'errors'],
      ['API', 'api'],
      ...listFolder('reference'),
    ],
  },
  {
    text: 'Internals',
    pages: [
      ['Architecture', 'architecture'],
      ['Pipeline', 'pipeline'],
      ['Express', 'express'],
      ['Adopting an application', 'adopt'],
      ['Moving an application', 'moving-an-application'],
    ],
  },
  { text: 'Decisions', pages: listFolder('decisions'), collapsed: true },
]

/**
 * @param {string} folder
 * @returns {[title: string, page: string][]}
 */
function listFolder(folder) {
  const names = readdirSync(new URL(folder, docs)).toSorted()
  return names.map((name) => {
    const page = `${folder}/${name.replace(/\.md$/, '')}`
    const text = readFileSync(new URL(`${page}.md`, docs), 'utf8')
    const [, title = page] = /^# (.*)$/m.exec(text) ?? []
    return [title.replaceAll('`', ''), page]
  })
}
