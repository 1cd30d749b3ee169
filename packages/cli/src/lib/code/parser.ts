// A separate file, so that bundling keeps the name: from `import()` a bundled CommonJS module has
// a default export only.
export { parse } from '@babel/parser'
