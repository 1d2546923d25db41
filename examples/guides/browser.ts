import { createPlatform } from 'seine'
import { createPlaywrightBrowser } from 'seine/playwright'

export const platform = createPlatform({
  browser: createPlaywrightBrowser({ executablePath: '/usr/bin/chromium' }),
})
