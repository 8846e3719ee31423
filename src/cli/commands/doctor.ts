import { command } from '../command.ts'

export const doctorCommand = command({
  name: 'doctor',
  summary: 'Say what is missing on this machine, and what to do about it',
  options: {
    data: { value: 'dir', help: "the server's data directory (TERRANE_DATA)" },
    json: { help: 'print JSON' },
  },
  args: [],
  run: async (input) => (await import('../doctor/run-doctor.ts')).runDoctor(input),
})
