const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const REFRESH_MS = 20_000
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `<time-ago><time datetime="…">`: says how long ago, and the exact time in the reader's zone when pointed at. */
export class TimeAgo extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined

  connectedCallback(): void {
    const time = this.querySelector('time')
    if (time === null) return
    const at = new Date(time.dateTime)
    time.title = absolute.format(at)
    const show = (): void => {
      time.textContent = words((at.getTime() - Date.now()) / 1000)
    }
    show()
    this.#timer = setInterval(show, REFRESH_MS)
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer)
  }
}

const words = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / size), unit)
}
