import { resolve } from 'node:path'
import { command, text } from '../cli/command.ts'

/** Prints the path of an engine; the one thing of the server that is useful by itself on a machine without terraform. */
export const engineCommand = command<'data' | 'releaseMirror' | 'tofu' | 'add'>({
  name: 'engine',
  summary: 'Print the path of a terraform binary, downloading it (verified) when it is missing; or add a binary of your own',
  options: {
    data: { value: 'dir', help: 'data directory of the server (default: as for the server)' },
    releaseMirror: { value: 'url', help: 'where terraform releases are downloaded from' },
    tofu: { help: 'OpenTofu in the place of Terraform; it is not downloaded' },
    add: { value: 'file', help: 'take a copy of this terraform or tofu binary into the store, and print its path there' },
  },
  args: [
    { name: 'version', help: 'release, constraint or "latest" (default: the newest installed, else the default release)', optional: true },
  ],
  run: async ({ options, args, env, output }) => {
    const [{ parseConfig }, { makeEngines }, { identifyEngine }, { hashicorpKeys }, { makeLog }, { systemClock }] = await Promise.all([
      import('./config.ts'),
      import('../runner/engines/make-engines.ts'),
      import('../runner/engines/identify-engine.ts'),
      import('../runner/engines/hashicorp-key.ts'),
      import('../platform/log.ts'),
      import('../platform/clock.ts'),
    ])
    const config = parseConfig({ data: options.data, releaseMirror: options.releaseMirror }, env)
    const engines = makeEngines({
      directory: config.engineDir,
      releaseMirrorUrl: config.releaseMirrorUrl,
      searchPath: env['PATH'] ?? '',
      trustedKeys: hashicorpKeys,
      log: makeLog('warn'),
      clock: systemClock,
    })
    const added = text(options.add)
    if (added !== undefined) {
      const file = resolve(added)
      const { engine, version } = await identifyEngine(file)
      output.print(await engines[engine].add(file, version))
      return
    }
    const store = engines[options.tofu === undefined ? 'terraform' : 'tofu']
    const [requested] = args
    const version = requested === undefined ? await store.latest() : await store.resolve(requested)
    output.print((await store.locate(version)).path)
  },
})
