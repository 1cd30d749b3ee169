import { serveThread } from './lib/host/thread.ts'

// The file a worker thread of the built package begins with.
void serveThread()
