#!/usr/bin/env node
// npm links a command only when its file exists; dist is made after that.
import module from 'node:module'

// Node.js 22.8 and later keep compiled code between runs.
module.enableCompileCache?.()
await import('../dist/api.js')
