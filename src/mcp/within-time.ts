import type { Clock } from '../ports/clock.ts'
import type { Asked, ToolService } from './tool-service.ts'

/** Wraps a service so that a call fails if the service does not answer in time. */
export function withinTime(service: ToolService, clock: Clock, ms: number): ToolService {
  const limited = async <A extends Asked, T>(
    asked: A,
    ask: (asked: A) => Promise<T>,
  ): Promise<T> => {
    const late = new AbortController()
    const done = new AbortController()
    const { promise, reject } = Promise.withResolvers<never>()
    clock.sleep(ms, done.signal).then(
      () => {
        late.abort()
        reject(new Error('The service did not respond in time'))
      },
      () => {},
    )
    try {
      return await Promise.race([
        ask({ ...asked, signal: AbortSignal.any([asked.signal, late.signal]) }),
        promise,
      ])
    } finally {
      done.abort()
    }
  }
  return {
    ...service,
    list: (asked) => limited(asked, (given) => service.list(given)),
    call: (asked, tool, given) => limited(asked, (watched) => service.call(watched, tool, given)),
  }
}
