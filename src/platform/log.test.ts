import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const program = `
  import { makeLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
  const log = makeLog('info')
  for (let line = 0; line < 20_000; line++) log.info({ line }, 'a line of a hundred characters or so, to be more than what may wait')
  setTimeout(() => console.log('alive'), 100)
`

it('a log on a full disk does not end the process', async () => {
  const full = await open('/dev/full', 'w')
  try {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', full.fd],
    })
    const [[code], stdout] = await Promise.all([once(child, 'close'), text(child.stdout!)])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'alive\n' })
  } finally {
    await full.close()
  }
})
