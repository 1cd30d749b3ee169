// What an upgrade to a version has to say, and the imports that it changes in every file of the
// project: code that no template wrote, a merge does not reach.
export interface Release {
  readonly version: string
  /** What a person should know or do; one sentence each. */
  readonly notes: readonly string[]
  readonly moved: readonly MovedNames[]
}

// Exports that another module has now; a name that changed is written as `old=new`.
export interface MovedNames {
  readonly from: string
  readonly to: string
  readonly names: readonly string[]
}

export const releases: readonly Release[] = [
  {
    version: '0.1.0',
    notes: [],
    moved: [
      {
        from: '@create-api/core',
        to: '@create-api/core/resource',
        names: words(`
          DecimalField DecimalOptions IdParams IfMatch Include IncludeOptions Included ListMeta
          ListQuery ListQueryOptions OutputShape Page PatchShape Serializer
          SerializerOptions Sort Stored StoredFields View ViewOptions ViewQuery
          createSerializer decimal defineListQuery defineView findPage idParams idempotency
          includeReferences instant integerId listMeta objectId parseIfMatch patchDocument
          rejectMiss requireFound requireReferences setCreated setEtag toOutputSchema
          toPatchSchema toProjection versioned
        `),
      },
      {
        from: '@create-api/core',
        to: '@create-api/core/auth',
        names: words(`
          Auth AuthConfig AuthHooks AuthLimits AuthOptions Claims ClaimsOptions CookieOptions Mail
          MailConfig Mailer OutboxMailerOptions PasswordHasher PasswordOptions SecurityEvent
          SecurityEventName SigningKey SmtpMailerOptions StoredUser UserFields UserStore createAuth
          createOutboxMailer createSmtpMailer
        `),
      },
      {
        from: '@create-api/core',
        to: '@create-api/core/pipeline',
        names: words(`
          AccessLogOptions BodyParserOptions CorsOptions ErrorHandlerOptions FormattedError
          HealthCheck HealthOptions InFlight InFlightOptions LogFields LogMethod LoggerOptions
          MongoStoreOptions OverloadOptions RateLimitOptions RedisStoreOptions RequestIdOptions
          SecurityHeadersOptions Stage Step accessLog authentication bodyParser composeStages cors
          createInFlight createLogMixin createLogger createMongoStore createRedisStore createStage
          errorHandler framing health overload rateLimit requestId securityHeaders toStage
        `),
      },
      {
        from: '@create-api/core',
        to: '@create-api/core/migrations',
        names: words(`
          BatchOptions BuildIndexOptions DeclaredStep DocumentChange DoneMigration IndexKeys
          Migration MigrationContext MigrationDefinition MigrationError MigrationErrorCode
          MigrationFunction MigrationStep MigrationsConfig RunMigrationsOptions buildIndex
          defineMigration dropIndex hideIndex outsideTransaction runMigrations showIndex
          updateInBatches
        `),
      },
      {
        from: '@create-api/core',
        to: '@create-api/core/tenants',
        names: words(`
          Member OrganizationView TenantConfig TenantRouteName TenantRoutes TenantRoutesOptions
          Tenants getTenants member memberRole
        `),
      },
      {
        from: '@create-api/core',
        to: '@create-api/core/metrics',
        names: words('MetricsConfig'),
      },
    ],
  },
]

export function notesBetween(
  from: string,
  to: string,
  known: readonly Release[] = releases,
): readonly string[] {
  return known
    .filter(({ version }) => compareVersions(version, from) > 0)
    .filter(({ version }) => compareVersions(version, to) <= 0)
    .toSorted((a, b) => compareVersions(a.version, b.version))
    .flatMap(({ notes, version }) => notes.map((note) => `${version}: ${note}`))
}

// Pre-releases are ordered before their release, and among each other by their text.
export function compareVersions(one: string, other: string): number {
  const [a = '', aPre] = one.split('-')
  const [b = '', bPre] = other.split('-')
  const parts = b.split('.').map(Number)
  for (const [index, part] of a.split('.').entries()) {
    const difference = Number(part) - (parts[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (aPre === bPre) return 0
  if (aPre === undefined) return 1
  return bPre === undefined || aPre < bPre ? -1 : 1
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
