#!/usr/bin/env node
// npm links a command only when its file exists; dist is made after that.
await import('../dist/api.js')
