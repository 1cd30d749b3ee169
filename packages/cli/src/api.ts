#!/usr/bin/env node
import { main } from './lib/main.ts'
import { createApiProgram } from './lib/programs/api-program.ts'

await main(createApiProgram)
