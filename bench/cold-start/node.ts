import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A fresh process of Node, in ms. */
export interface NodeStart {
  /** `import()` of the package. */
  readonly loaded: number
  /** Making the app or the platform. */
  readonly made: number
  /** Its first answer, in process. */
  readonly first: number
  /** Making another one. */
  readonly further: number
  /** From the start of the process until it has told of its answer. */
  readonly total: number
  /** User and system time of the process until then. */
  readonly cpu: number
}

/** Runs `scripts/<name>.mjs` with this Node. */
export async function startNode(name: string): Promise<NodeStart> {
  const { NODE_OPTIONS: _, NODE_COMPILE_CACHE: __, ...env } = process.env
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`./scripts/${name}.mjs`, import.meta.url))],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  let total = NaN
  child.stdout.on('data', (chunk: Buffer) => {
    total = performance.now() - began
    text += chunk.toString()
  })
  const [code]: unknown[] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}`)
  const timings: Omit<NodeStart, 'total'> = JSON.parse(text)
  return { ...timings, total }
}
