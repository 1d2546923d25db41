import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

// One API process and three workers on this machine, as they would run on four; a worker that dies
// is started again.
//   DATABASE_URL=postgres://localhost/app API_KEY=secret node examples/distributed/main.ts

const WORKERS = 3
const children = new Set<ChildProcess>()
let isEnding = false

function start(script: string): void {
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], { stdio: 'inherit' })
  children.add(child)
  child.once('exit', () => {
    children.delete(child)
    if (!isEnding) setTimeout(start, 1_000, script)
  })
}

start('api.ts')
for (let n = 0; n < WORKERS; n++) start('worker.ts')
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isEnding = true
    for (const child of children) child.kill(signal)
  })
}
