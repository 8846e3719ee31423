import { command } from '../command.ts'

export const envCommand = command({
  name: 'env',
  summary: 'Point terraform at the server: eval "$(terrane env)" for one shell, --install for good',
  options: {
    data: { value: 'dir', help: "the server's data directory (TERRANE_DATA)" },
    install: { help: 'write ~/.terraform.d/terrane.tfrc, which terraform merges with your own configuration' },
    remove: { help: 'undo --install' },
    json: { help: 'print JSON' },
  },
  args: [],
  run: async (input) => (await import('../env/run-env.ts')).runEnv(input),
})
