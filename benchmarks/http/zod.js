// The copy of Zod that @create-api/core imports: with another one a service of ours would load two.
export * from '../../node_modules/zod/index.js'
