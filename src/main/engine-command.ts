import { command } from '../cli/command.ts'

/** Prints the path of a terraform binary; the one thing of the server that is useful by itself on a machine without terraform. */
export const engineCommand = command<'data' | 'releaseMirror'>({
  name: 'engine',
  summary: 'Print the path of a terraform binary, downloading it (verified) when it is missing',
  options: {
    data: { value: 'dir', help: 'data directory of the server (default: as for the server)' },
    releaseMirror: { value: 'url', help: 'where terraform releases are downloaded from' },
  },
  args: [
    { name: 'version', help: 'release, constraint or "latest" (default: the newest installed, else the default release)', optional: true },
  ],
  run: async ({ options, args, env, output }) => {
    const [{ parseConfig }, { makeEngineStore }, { hashicorpKeys }, { makeLog }, { systemClock }] = await Promise.all([
      import('./config.ts'),
      import('../runner/engines/engine-store.ts'),
      import('../runner/engines/hashicorp-key.ts'),
      import('../platform/log.ts'),
      import('../platform/clock.ts'),
    ])
    const config = parseConfig({ data: options.data, releaseMirror: options.releaseMirror }, env)
    const store = makeEngineStore({
      directory: config.engineDir,
      ...(config.releaseMirrorUrl === undefined ? {} : { releaseMirrorUrl: config.releaseMirrorUrl }),
      searchPath: env['PATH'] ?? '',
      trustedKeys: hashicorpKeys,
      log: makeLog('warn'),
      clock: systemClock,
    })
    const [requested] = args
    const version = requested === undefined ? await store.latest() : await store.resolve(requested)
    const located = await store.locate(version)
    output.print(located.path)
  },
})
