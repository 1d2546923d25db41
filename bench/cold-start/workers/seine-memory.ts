import { createPlatform } from 'seine'
import { serve } from 'seine/cloudflare'
import { bench, silent } from './options.ts'

// As `serve` has it on D1: a platform for each event. In memory, as D1 is not to be had outside of
// Cloudflare and its simulators.
export default serve({
  platform: () => createPlatform({ authenticators: [bench], logger: silent }),
})
