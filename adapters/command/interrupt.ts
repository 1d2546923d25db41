/** A request to end, from a signal. */
export interface Interrupt {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

/**
 * npm forwards a signal to a child that already got it from the terminal. This echo is not a second
 * request.
 */
const ECHO_MS = 300

/** Listens for SIGINT and SIGTERM. The first one asks to end; the second ends the process at once. */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController()
  let lastSignalAt = 0
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted)
      return void (
        performance.now() - lastSignalAt > ECHO_MS && process.exit(name === 'SIGTERM' ? 143 : 130)
      )
    lastSignalAt = performance.now()
    controller.abort(new DOMException('Interrupted', 'AbortError'))
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  }
}
