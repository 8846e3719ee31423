import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

const executablePath = process.env['TERRANE_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Opens windows of one Chromium for the tests of a file. A test fails when a page of its reports an error of script or of the content policy. */
export const browserOfFile = (): ((options?: BrowserContextOptions) => Promise<{ page: Page; context: BrowserContext }>) => {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args })
  })
  afterAll(() => browser?.close())
  return async (options = {}) => {
    if (browser === undefined) throw new Error('the browser of this file is not there yet')
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ignoreHTTPSErrors: true, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(message.text())
    })
    onTestFinished(async () => {
      await context.close()
      expect(problems).toEqual([])
    })
    return { page, context }
  }
}
