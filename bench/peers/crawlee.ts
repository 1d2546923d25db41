import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio'
import { MemoryStorage } from '@crawlee/memory-storage'
import { contend, createRowFile } from '../contender.ts'

// Crawlee as its users have it, set up in its favour: storage in memory only, no session pool, and
// concurrency fixed at its most, so that the autoscaler neither ramps up nor backs off. Rows go to
// a plain file, which is cheaper than its datasets.
await contend(async ({ origin, concurrency, out }) => {
  log.setLevel(log.LEVELS.ERROR)
  const configuration = new Configuration({
    persistStorage: false,
    purgeOnStart: false,
    storageClient: new MemoryStorage({ persistStorage: false, writeMetadata: false }),
  })
  const rows = createRowFile(out)
  const crawler = new CheerioCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      // Crawlee's HTTP crawlers begin at 10 whatever the least is, so it has to be said.
      autoscaledPoolOptions: { desiredConcurrency: concurrency },
      useSessionPool: false,
      persistCookiesPerSession: false,
      async requestHandler({ $, request, enqueueLinks }) {
        switch (request.label) {
          case 'detail':
            return rows.write({
              title: $('h1.item-name').text(),
              price: Number(
                $('.offer .price')
                  .text()
                  .replace(/[^\d.]/g, ''),
              ),
              sku: $('.facts .sku').text(),
              rating: $('.stars').attr('data-value'),
              description: $('.about > p').text(),
            })
          case 'list':
            await enqueueLinks({ selector: 'a.product-link', label: 'detail' })
            await enqueueLinks({ selector: 'a.next', label: 'list' })
            return
          default:
            await enqueueLinks({ selector: 'a.category-link', label: 'list' })
        }
      },
    },
    configuration,
  )
  await crawler.run([`${origin}/`])
  await rows.end()
})
