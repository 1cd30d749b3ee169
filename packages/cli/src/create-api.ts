#!/usr/bin/env node
import { main } from './lib/main.ts'
import { createProjectProgram } from './lib/programs/create-program.ts'

await main(createProjectProgram)
