import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Names under which systems and vendors install it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/**
 * Returns the Chromium or Chrome of this machine that does not belong to Playwright: the first one
 * in the folders of a `PATH`. `null`: there is none.
 */
export function findChromium(folders: string): string | null {
  // A name that comes first is preferred in any folder. Chromium comes first because it needs no
  // account.
  for (const name of NAMES)
    for (const folder of folders.split(delimiter)) {
      const file = join(folder, name)
      if (folder !== '' && isProgram(file)) return file
    }
  return null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
