import { makeLineRenderer } from './render-line.ts'

/** Lines in one element, which browsers skip as a whole while it is out of sight. */
const BLOCK_LINES = 200
/** Longer than this no frame works on the log. */
const FRAME_MS = 8
const NEAR_END_PX = 40

/** `<run-log>`: shows a log that grows. Lines are made a bit at a time, so that a long log does not stop the page. */
export class RunLog extends HTMLElement {
  #render = makeLineRenderer()
  #waiting: string[] = []
  #rest = ''
  #isScheduled = false
  #view: HTMLElement | undefined
  #block: HTMLElement | undefined
  #blockLines = 0

  override append(...texts: string[]): void {
    const lines = (this.#rest + texts.join('')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#waiting.push(line)
    this.#schedule()
  }

  /** What is left without a line end is a line, too. */
  end(): void {
    if (this.#rest !== '') this.append('\n')
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    requestAnimationFrame(() => {
      this.#isScheduled = false
      this.#work()
      this.#schedule()
    })
  }

  #work(): void {
    const view = (this.#view ??= this.#makeView())
    const isAtEnd = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_END_PX
    const untilMs = performance.now() + FRAME_MS
    let done = 0
    let fragment = document.createDocumentFragment()
    while (done < this.#waiting.length && performance.now() < untilMs) {
      if (this.#block === undefined || this.#blockLines >= BLOCK_LINES) {
        this.#block?.append(fragment)
        fragment = document.createDocumentFragment()
        this.#block = document.createElement('div')
        this.#block.className = 'log-block'
        this.#blockLines = 0
        view.append(this.#block)
      }
      const line = this.#render(this.#waiting[done] ?? '')
      done++
      if (line === undefined) continue
      fragment.append(line)
      this.#blockLines++
    }
    this.#block?.append(fragment)
    this.#waiting.splice(0, done)
    if (isAtEnd) view.scrollTop = view.scrollHeight
  }

  #makeView(): HTMLElement {
    const view = document.createElement('div')
    view.className = 'log'
    view.tabIndex = 0
    view.setAttribute('role', 'region')
    view.setAttribute('aria-label', `Log of the ${this.dataset['phase'] ?? 'run'}`)
    super.append(view)
    return view
  }
}
