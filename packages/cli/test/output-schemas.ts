import { z } from 'zod'

const warning = z.strictObject({
  code: z.string(),
  message: z.string(),
  commands: z.array(z.string()).optional(),
})

function output(command: string, shape: z.ZodRawShape) {
  return z.strictObject({
    ok: z.boolean(),
    command: z.literal(command),
    ...shape,
    warnings: z.array(warning),
  })
}

const files = z.array(
  z.strictObject({
    path: z.string(),
    action: z.enum([
      'create',
      'identical',
      'conflict',
      'overwrite',
      'keep',
      'update',
      'unchanged',
      'delete',
    ]),
  }),
)

const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const user = z.strictObject({ id: z.string(), email: z.string(), roles: z.array(z.string()) })
const date = z.iso.datetime()

const fieldChange = {
  dryRun: z.boolean(),
  resource: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  files,
  byHand: z.array(z.strictObject({ path: z.string(), diff: z.array(z.string()) })),
}

const resource = output('generate resource', {
  dryRun: z.boolean(),
  changed: z.boolean(),
  names: z.strictObject({
    model: z.string(),
    plural: z.string(),
    path: z.string(),
    collection: z.string(),
  }),
  files,
  routes: z.array(z.strictObject({ method, path: z.string(), access: z.string() })),
  inference: z
    .strictObject({
      source: z.string(),
      fields: z.array(
        z.strictObject({
          argument: z.string(),
          certainty: z.enum(['certain', 'likely', 'guess']),
          reason: z.string(),
        }),
      ),
      omitted: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
    })
    .optional(),
  data: z
    .strictObject({
      documents: z.number(),
      faults: z.array(
        z.strictObject({
          path: z.string(),
          message: z.string(),
          documents: z.number(),
          examples: z.array(z.strictObject({ id: z.string(), value: z.unknown().optional() })),
        }),
      ),
    })
    .optional(),
  model: z
    .strictObject({
      name: z.string(),
      file: z.string(),
      collection: z.string(),
      findings: z.array(
        z.strictObject({
          path: z.string(),
          state: z.enum(['translated', 'open', 'hidden', 'left out']),
          detail: z.string(),
          place: z.string().optional(),
        }),
      ),
    })
    .optional(),
})

const client = {
  file: z.string(),
  operations: z.number(),
  omissions: z.array(z.string()),
}

const apiKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  lastFour: z.string(),
  createdAt: date,
  expiresAt: date,
  lastUsedAt: date.nullable(),
})

const plannedMigrations = {
  dryRun: z.literal(true),
  migrations: z.array(
    z.strictObject({
      name: z.string(),
      isBegun: z.boolean(),
      steps: z.array(z.strictObject({ description: z.string(), documents: z.number().optional() })),
    }),
  ),
}

const doneMigrations = {
  dryRun: z.literal(false),
  migrations: z.array(
    z.strictObject({
      name: z.string(),
      direction: z.enum(['up', 'down']),
      durationMs: z.number(),
      documents: z.number(),
    }),
  ),
}

const migrationRun = (command: string) =>
  z.union([output(command, plannedMigrations), output(command, doneMigrations)])

const imported = {
  resource: z.string(),
  file: z.string(),
  database: z.string(),
  columns: z.record(z.string(), z.string()),
  rejected: z.number(),
  causes: z.array(
    z.strictObject({ reason: z.string(), count: z.number(), lines: z.array(z.number()) }),
  ),
}

const page = z.string()
const explanation = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('error'),
    code: z.string(),
    status: z.number(),
    title: z.string(),
    cause: z.string(),
    remedy: z.string(),
    example: z.string(),
    page,
  }),
  z.strictObject({
    kind: z.literal('own-error'),
    code: z.string(),
    status: z.number(),
    title: z.string(),
    page,
  }),
  z.strictObject({
    kind: z.literal('command-error'),
    code: z.string(),
    exit: z.number(),
    meaning: z.string(),
    page,
  }),
  z.strictObject({
    kind: z.literal('option'),
    option: z.string(),
    variable: z.string().optional(),
    type: z.string().optional(),
    default: z.string().optional(),
    meaning: z.string(),
    page,
  }),
])

const line = z.strictObject({ file: z.string(), line: z.number() })

const algorithm = z.enum(['HS256', 'ES256', 'RS256'])

// Programs read these documents: output.schema.json is written from this file, and is published.

/** The JSON document of each command; those of `api` have no prefix, `client` of `create-api` is the same as theirs, and `adopt` is a command of `create-api`. */
export const outputs = {
  'create-api': output('create-api', {
    dryRun: z.boolean(),
    name: z.string(),
    path: z.string(),
    packageManager: z.enum(['npm', 'pnpm', 'yarn', 'bun']),
    files,
    git: z.enum(['committed', 'initialized', 'skipped', 'failed']),
    installed: z.boolean(),
  }),
  adopt: z.union([
    output('adopt', {
      dryRun: z.boolean(),
      app: line,
      mount: z.strictObject({ ...line.shape, code: z.string(), import: z.string() }),
      prefix: z.string(),
      folder: z.string(),
      language: z.enum(['typescript', 'javascript']),
      ownPackage: z.boolean(),
      outdated: z.array(z.strictObject({ name: z.string(), has: z.string(), needs: z.string() })),
      packages: z.array(z.string()),
      users: z
        .strictObject({
          ...line.shape,
          model: z.string(),
          collection: z.string(),
          hashes: z.enum(['bcrypt', 'pbkdf2', 'argon2', 'unknown']),
          tokens: z.strictObject({ claim: z.string(), variable: z.string() }).nullable(),
        })
        .nullable(),
      files,
    }),
    output('adopt --undo', {
      dryRun: z.boolean(),
      changed: z.boolean(),
      kept: z.array(z.string()),
      files,
    }),
  ]),
  'generate resource': resource,
  'generate model': resource,
  'generate validation': resource,
  'generate service': resource,
  'generate controller': resource,
  'generate routes': resource,
  'generate test': resource,
  'generate auth': output('generate auth', {
    dryRun: z.boolean(),
    files,
    packages: z.array(z.string()),
    variables: z.array(z.string()),
  }),
  'generate webhooks': output('generate webhooks', {
    dryRun: z.boolean(),
    files,
    packages: z.array(z.string()),
    variables: z.array(z.string()),
  }),
  'generate middleware': output('generate middleware', { dryRun: z.boolean(), files }),
  'add field': output('add field', fieldChange),
  'remove field': output('remove field', fieldChange),
  'destroy resource': output('destroy resource', {
    dryRun: z.boolean(),
    changed: z.boolean(),
    name: z.string(),
    files,
  }),
  'destroy webhooks': output('destroy webhooks', {
    dryRun: z.boolean(),
    changed: z.boolean(),
    files,
  }),
  'migrate create': output('migrate create', { files }),
  'migrate plan': output('migrate plan', plannedMigrations),
  'migrate up': migrationRun('migrate up'),
  'migrate down': migrationRun('migrate down'),
  'migrate redo': output('migrate redo', doneMigrations),
  'migrate status': output('migrate status', {
    migrations: z.array(
      z.strictObject({
        name: z.string(),
        state: z.string(),
        appliedAt: date.optional(),
        durationMs: z.number().optional(),
        documents: z.number().optional(),
        version: z.string().optional(),
      }),
    ),
    running: z.strictObject({ host: z.string(), pid: z.number() }).nullable(),
  }),
  'jobs list': output('jobs list', {
    jobs: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        state: z.enum(['waiting', 'blocked', 'running', 'done', 'dead', 'discarded']),
        attempt: z.number(),
        due: date.optional(),
        createdAt: date,
        finishedAt: date.optional(),
        error: z.string().optional(),
      }),
    ),
    counts: z.array(z.strictObject({ name: z.string(), state: z.string(), count: z.number() })),
    paused: z.array(z.string()),
  }),
  'jobs retry': output('jobs retry', { jobs: z.number() }),
  'jobs discard': output('jobs discard', { jobs: z.number() }),
  'jobs pause': output('jobs pause', { name: z.string() }),
  'jobs resume': output('jobs resume', { name: z.string() }),
  'audit list': output('audit list', {
    entries: z.array(
      z.strictObject({
        collection: z.string(),
        id: z.string(),
        sequence: z.number(),
        at: date,
        action: z.enum(['created', 'changed', 'deleted', 'restored', 'erased']),
        version: z.number().optional(),
        caller: z
          .strictObject({
            user: z.string().optional(),
            apiKey: z.string().optional(),
            organization: z.string().optional(),
          })
          .optional(),
        requestId: z.string().optional(),
        changes: z.array(
          z.strictObject({
            path: z.string(),
            before: z.unknown().optional(),
            after: z.unknown().optional(),
            hidden: z.enum(['masked', 'erased']).optional(),
          }),
        ),
      }),
    ),
  }),
  'audit verify': output('audit verify', {
    documents: z.number(),
    entries: z.number(),
    signed: z.boolean(),
    faults: z.array(
      z.strictObject({
        document: z.string(),
        sequence: z.number().optional(),
        code: z.string(),
      }),
    ),
  }),
  'audit purge': output('audit purge', { removed: z.number(), broken: z.array(z.string()) }),
  'templates list': output('templates list', {
    templates: z.array(z.strictObject({ name: z.string(), source: z.enum(['built-in', 'own']) })),
  }),
  'templates eject': output('templates eject', { files }),
  client: z.union([
    output('client', { ...client, files }),
    output('client --check', { ...client, current: z.boolean() }),
  ]),
  upgrade: output('upgrade', {
    dryRun: z.boolean(),
    changed: z.boolean(),
    from: z.string(),
    to: z.string(),
    files: z.array(
      z.strictObject({
        action: z.enum(['create', 'replace', 'merge', 'conflict', 'rename', 'delete', 'keep']),
        path: z.string(),
        detail: z.string().optional(),
        conflicts: z.number(),
      }),
    ),
  }),
  routes: output('routes', {
    routes: z.array(
      z.strictObject({
        method,
        path: z.string(),
        access: z.string(),
        handler: z.string(),
        validates: z.array(z.enum(['params', 'query', 'body'])),
        publicWrite: z.boolean(),
        sunset: date.optional(),
        schemas: z.record(z.string(), z.string()).optional(),
        file: z.string().optional(),
        line: z.number().optional(),
      }),
    ),
  }),
  explain: output('explain', { name: z.string(), docs: z.string(), found: z.array(explanation) }),
  request: output('request', {
    status: z.number(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body: z.unknown(),
  }),
  import: z.union([
    output('import', {
      ...imported,
      dryRun: z.literal(false),
      finished: z.boolean(),
      read: z.number(),
      total: z.number().optional(),
      created: z.number(),
      continuedAfter: z.number(),
      rejectedFile: z.string().optional(),
    }),
    output('import', {
      ...imported,
      dryRun: z.literal(true),
      accepted: z.number(),
      requests: z.array(z.record(z.string(), z.unknown())),
    }),
  ]),
  doctor: output('doctor', {
    fixed: z.array(z.string()),
    findings: z.array(
      z.strictObject({
        status: z.enum(['ok', 'warning', 'problem']),
        message: z.string(),
        fix: z.string().optional(),
      }),
    ),
  }),
  env: output('env', {
    variables: z.array(
      z.strictObject({
        name: z.string(),
        meaning: z.string(),
        value: z.string().optional(),
        default: z.string().optional(),
        source: z.enum(['option', 'environment', '.env', 'default', 'unset']),
        option: z.string().optional(),
        isSecret: z.boolean(),
        example: z.string(),
        problem: z.string().optional(),
      }),
    ),
    missing: z.array(z.string()),
    files,
  }),
  openapi: z.union([
    output('openapi', { document: z.record(z.string(), z.unknown()) }),
    output('openapi', { files }),
    output('openapi --check', {
      file: z.string(),
      breaking: z.number(),
      differences: z.array(
        z.strictObject({
          rule: z.string(),
          breaking: z.boolean(),
          operation: z.string(),
          at: z.string(),
          message: z.string(),
        }),
      ),
    }),
  ]),
  info: output('info', {
    versions: z.record(z.string(), z.string()),
    resources: z.array(z.string()),
  }),
  'keys generate': output('keys generate', {
    alg: algorithm,
    variable: z.string(),
    value: z.string(),
  }),
  'keys rotate': output('keys rotate', {
    file: z.string(),
    variable: z.string(),
    alg: algorithm,
    keys: z.number(),
  }),
  'keys create': output('keys create', { key: apiKey.extend({ key: z.string() }) }),
  'keys list': output('keys list', { keys: z.array(apiKey) }),
  'keys revoke': z.union([
    output('keys revoke', { id: z.string() }),
    output('keys revoke', { user: z.string(), count: z.number() }),
  ]),
  'users create': output('users create', { user }),
  'users list': output('users list', {
    users: z.array(
      user.extend({ disabled: z.boolean(), emailVerified: z.boolean(), createdAt: date }),
    ),
    next: z.string().nullable(),
  }),
  'users export': output('users export', {
    id: z.string(),
    documents: z.number(),
    out: z.string().nullable(),
    lines: z.array(z.string()).optional(),
  }),
  'users erase': output('users erase', {
    dryRun: z.boolean(),
    id: z.string(),
    started: z.boolean(),
    steps: z.array(
      z.strictObject({
        collection: z.string(),
        action: z.enum(['delete', 'anonymize', 'unset', 'keep']),
        path: z.string().optional(),
        documents: z.number(),
        reason: z.string().optional(),
      }),
    ),
    open: z.array(
      z.strictObject({
        collection: z.string(),
        path: z.string().optional(),
        documents: z.number(),
        problem: z.string(),
      }),
    ),
  }),
  'users grant': output('users grant', { user, role: z.string(), changed: z.boolean() }),
  'users revoke': output('users revoke', { user, role: z.string(), changed: z.boolean() }),
  completion: output('completion', { shell: z.string(), script: z.string() }),
}

/** What every command prints when it fails. */
export const errorOutput = z.strictObject({
  ok: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    exit: z.number(),
    message: z.string(),
    hint: z.string().optional(),
    files: z.array(z.string()).optional(),
    details: z.array(z.string()).optional(),
  }),
})
