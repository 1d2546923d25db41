import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Luck } from './luck.ts'
import type { Timeline } from './timeline.ts'

const GCM_TAG_BYTES = 16
/** The time that each reading of the finest clock adds, in ms, so that slices of long work end. */
const TICK_MS = 0.02

/** The world of all replaced globals. */
let world: { readonly timeline: Timeline; readonly luck: Luck } | null = null
let ticks = 0

/** The reason of timers that are cleared; nobody sees it. */
const CLEARED = 'cleared'

/** Gives the globals of this process to a world, until the next one takes them over. */
export function enterWorld(timeline: Timeline, luck: Luck): void {
  world = { timeline, luck }
  ticks = 0
}

function here(): { readonly timeline: Timeline; readonly luck: Luck } {
  if (!world) throw new Error('No world has been entered')
  return world
}

function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { configurable: true, writable: true, value })
}

/**
 * Replaces everything by which a runtime brings its own time, threads or randomness into a program:
 * timers, messages, digests, ciphers and compression. Call it once, before the platform is loaded.
 */
export function replaceGlobals(): void {
  const RealDate = Date
  replace(
    globalThis,
    'Date',
    class extends RealDate {
      constructor(...args: readonly unknown[]) {
        if (args.length === 0) super(here().timeline.now())
        else super(...(args as [number]))
      }

      static override now(): number {
        return here().timeline.now()
      }
    },
  )
  replace(performance, 'now', () => (ticks += TICK_MS))
  replace(Math, 'random', () => here().luck.next())
  replace(crypto, 'getRandomValues', (array: Uint8Array) => {
    array.set(here().luck.bytes(array.length))
    return array
  })
  replaceTimers()
  replaceAborts()
  replaceMessages()
  replaceCiphers()
  replaceBlobs()
  replace(globalThis, 'CompressionStream', streamOf(gzipSync))
  replace(globalThis, 'DecompressionStream', streamOf(gunzipSync))
}

function replaceTimers(): void {
  const timers = new Map<number, AbortController>()
  let last = 0
  const start = (work: () => void, ms: number, repeats: boolean): number => {
    const id = ++last
    const stop = new AbortController()
    timers.set(id, stop)
    const ring = (): void => {
      here()
        .timeline.sleep(ms, stop.signal)
        .then(() => {
          if (repeats) ring()
          else timers.delete(id)
          work()
        })
        .catch(() => undefined)
    }
    ring()
    return id
  }
  const stop = (id: unknown): void => {
    if (typeof id !== 'number') return
    // Without a reason of its own each would make an error with its stack.
    timers.get(id)?.abort(CLEARED)
    timers.delete(id)
  }
  const bind =
    (repeats: boolean) =>
    (work: (...args: readonly unknown[]) => void, ms = 0, ...args: readonly unknown[]): number =>
      start(() => work(...args), ms, repeats)
  replace(globalThis, 'setTimeout', bind(false))
  replace(globalThis, 'setInterval', bind(true))
  replace(globalThis, 'clearTimeout', stop)
  replace(globalThis, 'clearInterval', stop)
  replace(globalThis, 'setImmediate', (work: () => void) => here().timeline.addTask(work))
  replace(AbortSignal, 'timeout', (ms: number) => {
    const over = new AbortController()
    start(() => over.abort(new DOMException('The time is over', 'TimeoutError')), ms, false)
    return over.signal
  })
}

/** Without a reason of its own each abort would make an error with its stack, which costs more. */
function replaceAborts(): void {
  const abort = AbortController.prototype.abort
  const over = new DOMException('This operation was aborted', 'AbortError')
  replace(
    AbortController.prototype,
    'abort',
    function (this: AbortController, reason: unknown = over): void {
      abort.call(this, reason)
    },
  )
}

function replaceMessages(): void {
  class Port extends EventTarget {
    other: Port | null = null
    postMessage(data: unknown): void {
      here().timeline.addTask(() => {
        const event = new Event('message')
        replace(event, 'data', data)
        this.other?.dispatchEvent(event)
      })
    }
    start(): void {}
    close(): void {}
    unref(): void {}
  }
  replace(
    globalThis,
    'MessageChannel',
    class {
      readonly port1 = new Port()
      readonly port2 = new Port()
      constructor() {
        this.port1.other = this.port2
        this.port2.other = this.port1
      }
    },
  )
}

/** A key of WebCrypto, as these ciphers need it. */
interface Secret {
  readonly secret: KeyObject
}

function replaceCiphers(): void {
  const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
    ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)
  const bufferOf = (...parts: readonly Uint8Array[]): ArrayBuffer =>
    Uint8Array.from(Buffer.concat(parts)).buffer
  const replacements = {
    digest: async (algorithm: string | { readonly name: string }, data: ArrayBuffer) => {
      const name = typeof algorithm === 'string' ? algorithm : algorithm.name
      return bufferOf(createHash(name.replace('-', '')).update(bytesOf(data)).digest())
    },
    importKey: async (format: string, key: ArrayBuffer): Promise<Secret> => {
      if (format !== 'raw') throw new Error(`No world has keys of the format ${format}`)
      return { secret: createSecretKey(bytesOf(key)) }
    },
    sign: async (algorithm: unknown, { secret }: Secret, data: ArrayBuffer) =>
      bufferOf(createHmac('sha256', secret).update(bytesOf(data)).digest()),
    encrypt: async (
      { iv, additionalData }: { readonly iv: Uint8Array; readonly additionalData: Uint8Array },
      { secret }: Secret,
      data: ArrayBuffer,
    ) => {
      const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(additionalData)
      return bufferOf(cipher.update(bytesOf(data)), cipher.final(), cipher.getAuthTag())
    },
    decrypt: async (
      { iv, additionalData }: { readonly iv: Uint8Array; readonly additionalData: Uint8Array },
      { secret }: Secret,
      data: ArrayBuffer,
    ) => {
      const bytes = bytesOf(data)
      const cipher = createDecipheriv('aes-256-gcm', secret, iv)
        .setAAD(additionalData)
        .setAuthTag(bytes.subarray(-GCM_TAG_BYTES))
      return bufferOf(cipher.update(bytes.subarray(0, -GCM_TAG_BYTES)), cipher.final())
    },
  }
  for (const [name, work] of Object.entries(replacements))
    replace(SubtleCrypto.prototype, name, work)
}

/** Those of the runtime are read by turns of its event loop, whose number nobody knows. */
function replaceBlobs(): void {
  replace(
    globalThis,
    'Blob',
    class extends Blob {
      readonly #bytes: Uint8Array<ArrayBuffer>

      constructor(parts: readonly Uint8Array<ArrayBuffer>[], options?: BlobPropertyBag) {
        super([...parts], options)
        this.#bytes = Uint8Array.from(Buffer.concat(parts))
      }

      override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
        const bytes = this.#bytes
        return new ReadableStream({
          start(controller) {
            controller.enqueue(bytes)
            controller.close()
          },
        })
      }
    },
  )
}

/** A stream that does its work at its end. */
function streamOf(work: (bytes: Uint8Array) => Uint8Array): new () => TransformStream {
  return class extends TransformStream<Uint8Array, Uint8Array> {
    constructor() {
      const parts: Uint8Array[] = []
      super({
        transform: (part) => void parts.push(Uint8Array.from(part)),
        flush: (controller) => controller.enqueue(Uint8Array.from(work(Buffer.concat(parts)))),
      })
    }
  }
}
