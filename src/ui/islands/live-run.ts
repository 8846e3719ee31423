import type { RunLog } from './run-log.ts'

/**
 * `<live-run data-src="…" data-version="…">`: follows the events of a run. Text goes to the logs inside; when the run has another version
 * than the page shows, the page is read again and those parts with `data-live` are replaced for which the server has another text than
 * before. So a question that is open, or a comment half written, stays as it is.
 */
export class LiveRun extends HTMLElement {
  #source: EventSource | undefined
  #served = new Map<string, string>()
  #isReading = false
  #isStale = false

  connectedCallback(): void {
    for (const [name, element] of parts(this)) this.#served.set(name, element.innerHTML)
    const source = new EventSource(this.dataset['src'] ?? '')
    this.#source = source
    source.addEventListener('log', (event: MessageEvent<string>) => this.#append(event.data))
    source.addEventListener('run', (event: MessageEvent<string>) => {
      // safe because our server wrote it
      const { version } = JSON.parse(event.data) as { version: number }
      // The run may have changed before the stream began, and the page may be an old one from the history.
      if (String(version) !== this.dataset['version']) void this.#read()
    })
    source.addEventListener('end', () => {
      this.#close()
      for (const log of this.querySelectorAll<RunLog>('run-log')) log.end()
    })
  }

  disconnectedCallback(): void {
    this.#close()
  }

  #close(): void {
    this.#source?.close()
  }

  #append(data: string): void {
    // safe because our server wrote it
    const { phase, text } = JSON.parse(data) as { phase: string; text: string }
    const log = this.querySelector<RunLog>(`run-log[data-phase="${phase}"]`)
    const section = log?.parentElement
    if (section?.hidden) section.hidden = false
    log?.append(text)
  }

  async #read(): Promise<void> {
    this.#isStale = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isStale) {
        this.#isStale = false
        const response = await fetch(location.href, { headers: { accept: 'text/html' } })
        if (!response.ok || response.redirected) return location.reload()
        this.#replace(new DOMParser().parseFromString(await response.text(), 'text/html'))
      }
    } finally {
      this.#isReading = false
    }
  }

  #replace(page: Document): void {
    const fresh = new Map(parts(page))
    for (const [name, element] of parts(this)) {
      const html = fresh.get(name)?.innerHTML
      if (html === undefined || html === this.#served.get(name)) continue
      this.#served.set(name, html)
      element.replaceChildren(...(fresh.get(name)?.childNodes ?? []))
    }
    this.dataset['version'] = page.querySelector<HTMLElement>('live-run')?.dataset['version']
    document.title = page.title
  }
}

const parts = (root: ParentNode): [string, HTMLElement][] =>
  [...root.querySelectorAll<HTMLElement>('[data-live]')].map((element) => [element.dataset['live'] ?? '', element])
