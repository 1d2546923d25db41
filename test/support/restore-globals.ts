import { afterAll, vi } from 'vitest'

// The next file of this thread gets the same globals and modules.
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.useRealTimers()
})
