const ultimate = { library: 'ultimate-express', keyObject: true }

// Every contender by name: its file and how it is set up.
export const contenders = {
  'raw-min': { file: 'raw', options: { features: false }, bare: true },
  'raw-full': { file: 'raw', options: { features: true } },
  'express-hand': { file: 'express', options: { keyObject: false } },
  'express-key': { file: 'express', options: { keyObject: true } },
  // There is no binary for later releases of Node.
  'ultimate-min': {
    file: 'express',
    options: { ...ultimate, features: false },
    bare: true,
    lastNode: 22,
  },
  'ultimate-express': { file: 'express', options: ultimate, lastNode: 22 },
  fastify: { file: 'fastify' },
  'fastify-strict': {
    file: 'fastify',
    options: { strict: true },
    asksDatabase: true,
    only: ['W4', 'W5', 'W7'],
  },
  'nest-express': { file: 'nest', options: { platform: 'express' } },
  'nest-fastify': { file: 'nest', options: { platform: 'fastify' }, unlimited404: true },
  hono: { file: 'hono' },
  koa: { file: 'koa' },
  feathers: { file: 'feathers' },
  'express-zod-api': { file: 'express-zod-api/index' },
  ours: { file: 'ours', ours: true },
  'ours-plain': { file: 'ours', options: { fast: false }, ours: true },
  'ours-no-cache': { file: 'ours', options: { tokenCacheSize: 0 }, ours: true },
  'ours-strict': {
    file: 'ours',
    options: { strict: true },
    ours: true,
    asksDatabase: true,
    only: ['W4', 'W5', 'W7'],
  },
  'ours-mounted': { file: 'ours', options: { mounted: true }, ours: true, passes404: true },
}

// The same with records of a database.
export const databaseContenders = {
  'express-documents': { file: 'records/express', options: { lean: false } },
  'express-lean': { file: 'records/express', options: { lean: true } },
  'fastify-lean': { file: 'records/fastify', options: { source: 'lean' } },
  'fastify-driver': { file: 'records/fastify', options: { source: 'driver' } },
  'ours-records': { file: 'records/ours' },
  'ours-unshared': { file: 'records/ours', options: { shareCommands: false } },
  'ours-guarded': { file: 'records/ours', options: { guarded: true }, ours: true },
}

// With a list that counts only on request.
export const growthContenders = {
  'ours-on-request': { file: 'records/ours', options: { total: 'onRequest' } },
}

// One part of the framework more with each rung.
export const ladderContenders = { ladder: { file: 'ladder' } }
