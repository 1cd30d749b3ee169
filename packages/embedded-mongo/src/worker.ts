import { serveThread } from './lib/host/thread.ts'

// Entry point of the worker thread in the built package.
serveThread()
