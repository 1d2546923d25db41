import type { Clock } from 'seine'

/** The clock of the machine with another start, so that nobody waits for work that is due tomorrow. */
export function clockFrom(time: number): Clock {
  const ahead = time - Date.now()
  return {
    now: () => Date.now() + ahead,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const end = (): void => {
          clearTimeout(timer)
          reject(signal?.reason)
        }
        const timer = setTimeout(
          () => {
            signal?.removeEventListener('abort', end)
            resolve()
          },
          Math.min(Math.max(ms, 0), 2 ** 31 - 1),
        )
        signal?.addEventListener('abort', end, { once: true })
      }),
  }
}
