import { CopyText } from './copy-text.ts'
import { ElapsedTime } from './elapsed-time.ts'
import { LiveRun } from './live-run.ts'
import { RunLog } from './run-log.ts'
import { TimeAgo } from './time-ago.ts'

// Before <live-run>, which talks to the logs inside it.
customElements.define('run-log', RunLog)
customElements.define('live-run', LiveRun)
customElements.define('time-ago', TimeAgo)
customElements.define('elapsed-time', ElapsedTime)
customElements.define('copy-text', CopyText)

// Menus behave like menus: Escape and a click elsewhere close them.
const openMenus = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll('details.menu[open]')
document.addEventListener('click', (event) => {
  for (const menu of openMenus()) if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of openMenus()) {
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
})
