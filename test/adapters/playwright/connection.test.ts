import { expect, test } from 'vitest'
import { explained } from '../../../adapters/playwright/connection.ts'

test.for([
  [
    "Cannot find package 'playwright-core' imported from /srv/app.js",
    /npm install playwright-core/,
  ],
  [
    "browserType.launch: Executable doesn't exist at /ms-playwright/chrome",
    /executablePath.*--browser/,
  ],
  ["Failed to launch chromium because executable doesn't exist at /opt/chrome", /executablePath/],
  ['spawn /usr/bin/chrom ENOENT', /executablePath/],
  ['Running as root without --no-sandbox is not supported', /launch\.sandbox/],
] as const)('the error %s is explained with a remedy', ([message, remedy]) => {
  const cause = new Error(message)
  expect(explained(cause)).toMatchObject({ message: expect.stringMatching(remedy), cause })
})

test('another error stays unchanged', () => {
  const error = new Error('The wall fell')
  expect(explained(error)).toBe(error)
})
