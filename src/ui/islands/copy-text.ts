const SHOWN_MS = 1500

/** `<copy-text><code>…</code><button hidden>`: shows the button where copying works. */
export class CopyText extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button')
    const text = this.querySelector('code')?.textContent ?? ''
    if (button === null || !('clipboard' in navigator)) return
    button.hidden = false
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(text).then(() => {
        this.dataset['copied'] = ''
        setTimeout(() => delete this.dataset['copied'], SHOWN_MS)
      })
    })
  }
}
