/** `<elapsed-time data-since="…">`: counts the seconds. */
export class ElapsedTime extends HTMLElement {
  #timer: ReturnType<typeof setInterval> | undefined

  connectedCallback(): void {
    const since = new Date(this.dataset['since'] ?? '').getTime()
    const show = (): void => {
      const seconds = Math.max(0, Math.round((Date.now() - since) / 1000))
      this.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    }
    show()
    this.#timer = setInterval(show, 1000)
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer)
  }
}
