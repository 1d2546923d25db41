import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { findChromium } from '../../../adapters/playwright/find-chromium.ts'

test('the Chromium of a machine is found in the folders of its PATH, before a Chrome', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seine-chromium-'))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  try {
    for (const path of [first, second]) mkdirSync(path)
    const both = ['', first, second].join(delimiter)
    expect(findChromium(both)).toBeNull()
    writeFileSync(join(first, 'google-chrome'), '', { mode: 0o755 })
    expect(findChromium(both)).toBe(join(first, 'google-chrome'))
    // Neither a file that nobody may run nor a folder is a browser.
    writeFileSync(join(first, 'chromium'), '', { mode: 0o644 })
    mkdirSync(join(second, 'chromium-browser'))
    expect(findChromium(both)).toBe(join(first, 'google-chrome'))
    writeFileSync(join(second, 'chromium'), '', { mode: 0o755 })
    expect(findChromium(both)).toBe(join(second, 'chromium'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
