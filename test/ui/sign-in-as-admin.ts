import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TestServer } from '../harness/terrane-server.ts'

export const username = 'ada'
const password = 'correct horse battery staple'

/** Signs in, through the link of `setup.url` the first time. */
export const signInAsAdmin = async (page: Page, server: TestServer): Promise<void> => {
  const link = (await readFile(join(server.dataDir, 'setup.url'), 'utf8')).trim()
  const answer = await page.goto(link)
  if (answer?.status() === 200) {
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByLabel('Password again').fill(password)
    await page.getByRole('button', { name: 'Start' }).click()
  } else {
    await page.goto(`${server.url}/session`)
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.getByRole('heading', { name: 'Organizations' }).waitFor()
}
