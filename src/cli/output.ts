/** Where a command writes: results for programs on stdout, everything for the reader's eye on stderr. */
export type Output = {
  print(line: string): void
  json(value: unknown): void
  note(line: string): void
}

type Stream = { write(text: string): unknown }

export const makeOutput = ({ stdout, stderr }: { stdout: Stream; stderr: Stream }): Output => ({
  print: (line) => void stdout.write(`${line}\n`),
  json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
  note: (line) => void stderr.write(`${line}\n`),
})
