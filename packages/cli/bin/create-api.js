#!/usr/bin/env node
// npm links a command only when its file exists; dist is made after that.
import '../dist/create-api.js'
