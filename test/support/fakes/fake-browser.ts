import type {
  Browser,
  BrowserRequest,
  RenderedPage,
  RenderRequest,
} from '../../../src/ports/browser.ts'

/** A fake browser: `act` stands for the scripts of a page. It opens the page first, like a browser. */
export function createFakeBrowser(
  act: (
    page: string,
    request: RenderRequest,
    ask: (fields: Partial<BrowserRequest>) => Promise<string | null>,
  ) => Promise<Partial<RenderedPage>> | Partial<RenderedPage>,
): Browser & { readonly requests: RenderRequest[] } {
  const requests: RenderRequest[] = []
  return {
    requests,
    async render(request) {
      requests.push(request)
      const ask = async (fields: Partial<BrowserRequest>): Promise<string | null> => {
        const answer = await request.answer({
          url: request.url,
          method: 'GET',
          headers: {},
          body: null,
          kind: 'data',
          ...fields,
        })
        return answer && new TextDecoder().decode(answer.body)
      }
      const html = (await ask({ kind: 'document' })) ?? ''
      return { url: request.url, html, screenshot: null, ...(await act(html, request, ask)) }
    },
    close: async () => {},
  }
}
