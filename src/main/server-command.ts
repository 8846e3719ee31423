import { command } from '../cli/command.ts'
import { serverSettings, type ServerSetting } from './server-settings.ts'

export const serverCommand = command<ServerSetting>({
  name: 'server',
  summary: 'Run the server',
  options: serverSettings,
  args: [],
  run: async ({ options, env }) => {
    const { parseConfig } = await import('./config.ts')
    const config = parseConfig(options, env)
    const { runServer } = await import('./serve.ts')
    await runServer(config)
  },
})
