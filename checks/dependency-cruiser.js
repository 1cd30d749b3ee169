// @ts-check
// The import rules: imports point one way, type-only imports included. docs/architecture.md states
// the same rules; `node scripts/check/architecture.js` checks both.

/**
 * The folders of each folder, lowest layer first. A folder imports only folders of
 * earlier layers; folders of one layer do not import one another. `*.ts` are the files beside the folders; where
 * they are not stated, they are above all folders.
 * @type {Record<string, string[][]>}
 */
export const layers = {
  'packages/core/src/lib': [
    ['errors', 'fast', 'options', 'json', 'runtime', 'stage', 'address'],
    ['access'],
    ['schemas'],
    ['response'],
    ['route'],
    ['logging'],
    ['database', 'limits', 'http', 'uploads', 'streams'],
    ['routing', 'resource', 'auth', 'openapi', 'lifecycle'],
    ['features'],
    ['settings'],
    ['*.ts'],
    [
      'audit',
      'bulk',
      'exports',
      'live',
      'migrations',
      'metrics',
      'personal-data',
      'tenants',
      'testing',
    ],
  ],
  'packages/cli/src/lib': [
    ['errors', 'package'],
    ['code', 'files', 'names'],
    ['project', 'terminal'],
    ['fields', 'registry'],
    ['models'],
    ['resource'],
    ['create', 'fields-edit', 'inspect'],
    [
      'accounts',
      'audit',
      'client',
      'develop',
      'env',
      'explain',
      'jobs',
      'migrate',
      'sign-in',
      'upgrade',
      'webhooks',
    ],
    ['adopt', 'import'],
    ['infer'],
    ['commands'],
    ['programs'],
  ],
  'packages/jobs/src/lib': [['job'], ['queue'], ['events', 'schedules'], ['worker'], ['*.ts']],
  'packages/webhooks/src/lib': [
    ['signature', 'network'],
    ['store'],
    ['delivery', 'receive'],
    ['routes'],
    ['*.ts'],
  ],
  'packages/core/src/lib/auth': [
    ['storage'],
    ['users'],
    ['tokens', 'passwords', 'events'],
    ['limits', 'mail'],
    ['sessions'],
    ['input'],
    ['api-keys', 'sign-in'],
    ['accounts'],
    ['options'],
    ['service'],
    ['routes'],
  ],
  'packages/embedded-mongo/src/lib': [
    ['errors'],
    ['bson'],
    ['keys'],
    ['storage', 'wire', 'expressions', 'text', 'geo'],
    ['query', 'change-streams'],
    ['project', 'catalog'],
    ['aggregate', 'plan', 'sessions'],
    ['update'],
    ['commands'],
    ['host'],
    ['memory-server', 'transfer'],
  ],
}

/** @param {string} folder */
const toPattern = (folder) => (folder === '*.ts' ? '[^/]+\\.ts$' : `${folder}/`)

const layerRules = Object.entries(layers).flatMap(([parent, rows]) => {
  const name = parent.replace(/^packages\/|\/src\/lib/g, '')
  return rows.flatMap((row, index) =>
    row.map((folder) => {
      const allowed = [folder, ...rows.slice(0, index).flat()]
      return {
        name: `${name}/${folder}`,
        severity: /** @type {const} */ ('error'),
        comment: `${folder} imports only ${allowed.join(', ')}`,
        from: { path: `^${parent}/${toPattern(folder)}`, pathNot: '\\.test\\.ts$' },
        to: { path: `^${parent}/`, pathNot: `^${parent}/(${allowed.map(toPattern).join('|')})` },
      }
    }),
  )
})

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'files must not import one another, directly or indirectly',
      from: {},
      to: { circular: true },
    },
    {
      name: 'entry-points-only',
      severity: 'error',
      comment: 'a package imports another one through its entry points',
      from: { path: '^packages/([^/]+)/src/' },
      to: { path: '^packages/[^/]+/src/lib/', pathNot: '^packages/$1/' },
    },
    ...layerRules,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'dist/' },
    enhancedResolveOptions: { conditionNames: ['@create-api/source', 'import', 'types', 'node'] },
  },
}
